// The public state. Written by tools/page_types.py from centerpiece/web/state_types.py.

interface State {
  alerts: Array<Said>;
  asks: Asks | null;
  awards?: Array<Award>;
  best?: number | null;
  blocked: boolean;
  caller?: number | null;
  caster?: number | null;
  clock: Clock | null;
  corrections: Array<Correction>;
  counting: Counting | null;
  counts: Counts;
  direction: "clockwise" | "counterclockwise";
  double_due: number | "train" | null;
  engine: number | null;
  engines: Array<number | null>;
  from_next_round: Array<Said>;
  game: string;
  hand: number | null;
  hands: Array<Hand>;
  in_play?: Array<InPlay>;
  leaders: Array<number>;
  left_out: Array<number>;
  missing: Array<Missing>;
  notes: Array<Said>;
  notice: string;
  offers: Array<Offer>;
  on: Record<string, Array<number>>;
  open_doubles: Array<number | "train">;
  out: number | null;
  penalties: Array<Penalty>;
  phase: "finished" | "lobby" | "playing" | "scoring";
  pile: number | null;
  play_offs: Array<PlayOff>;
  question: Question | null;
  redo: Said | null;
  round: number;
  rounds: number | null;
  row?: number | null;
  rules: string;
  said: Said;
  saved: boolean;
  saving: boolean;
  seats: Array<Seat>;
  seq: number;
  set: number;
  settings: Preferences;
  siding: Siding;
  spell: boolean;
  started_at: number | null;
  starter: number | null;
  table: string;
  tie: Array<number>;
  title: string;
  toes: Toes | null;
  train: Train;
  trains?: number;
  trouble: Array<Trouble>;
  turn: number | null;
  turn_clock: Clock | null;
  undo: Said | null;
  undo_of: Record<string, Said>;
  undrawn?: number | null;
  winners: Array<number>;
}

interface Said {
  facts?: Record<string, any>;
  template: string;
}

interface Asks {
  double?: number | null;
  seats: Array<number>;
  what: "back" | "caught" | "dock" | "double" | "drawn" | "end" | "fit" | "gentle" | "last-tile" | "move" | "out" | "phones" | "rematch" | "starter" | "uncounted" | "whistled";
}

interface Award {
  points: number;
  seat: number;
  taken: boolean;
}

interface Clock {
  remaining_s: number;
}

interface Correction {
  now: number;
  round: number;
  seat: number;
  was: number | null;
}

interface Counting {
  double_blank?: boolean;
  in_play?: boolean;
  round?: number;
  seat: number;
  sum?: number;
  typed: string;
}

interface Counts {
  alone: boolean;
  blank_half: number;
  double_blank: number;
  doubles_twice: boolean;
  goal: number | null;
  hidden: boolean;
  on_double: boolean;
  tiles: boolean;
  turns: boolean;
  wins: string;
}

interface Hand {
  round: number;
  seat: number;
  tiles: Array<[number, number]>;
}

interface InPlay {
  points: number;
  round: number;
  seat: number;
}

interface Missing {
  round: number;
  seats: Array<number>;
}

interface Offer {
  back: Record<string, any>;
  command: Record<string, any>;
  icon: string;
  kept: boolean;
  number: string;
  off: string;
  pinned: boolean;
  short: string;
  words: string;
}

interface Penalty {
  kind: string;
  points: number;
  round: number;
  seat: number;
}

interface PlayOff {
  round: number;
  seats: Array<number>;
}

interface Question {
  remaining_s: number | null;
  said: Said;
}

interface Seat {
  dock: "home" | "lifted" | null;
  earlier: Array<Earlier>;
  last_tile: boolean;
  left: boolean;
  marker: boolean;
  name: string;
  open_double: boolean;
  parked: boolean;
  place: number | null;
  plays: boolean;
  scores: Array<number | null>;
  seat: number;
  skipped: boolean;
  team: number | null;
  total: number;
  won: number | null;
}

interface Earlier {
  name: string;
  until: number;
}

interface Preferences {
  volume?: number;
  muted?: boolean;
  quiet_from?: string | null;
  quiet_until?: string | null;
  brightness?: number;
  quiet_brightness?: number;
  order?: "clockwise" | "counterclockwise";
  large_text?: boolean;
  gentle?: boolean;
  language?: string;
  aloud?: boolean;
  speech?: Topics;
  calm?: boolean;
  attention?: boolean;
  spellings?: Record<string, string>;
}

interface Topics {
  round?: "full" | "off" | "short";
  play?: "full" | "off" | "short";
  last_tile?: "full" | "off" | "short";
  hands?: "full" | "off" | "short";
  standings?: "full" | "off" | "short";
  changes?: "full" | "off" | "short";
  time?: "full" | "off" | "short";
  questions?: "full" | "off" | "short";
  refusals?: "full" | "off" | "short";
  people?: "full" | "off" | "short";
  winner?: "full" | "off" | "short";
}

interface Siding {
  look: string;
  name: string;
  words: string;
}

interface Toes {
  needed: number;
  played: number;
}

interface Train {
  open_double: boolean;
  started: boolean;
}

interface Trouble {
  device: string;
  message: string;
}
