// The hub's words in the browser's own voice: everything, or only what concerns my seat. Loaded
// only where somebody has switched it on. Browsers speak only after a tap on the page.

import { choice } from "./choices.js";
import { live, onSpeech, watch } from "./live.js";
import { mySeat } from "./mine.js";
import { language } from "./words.js";

let timer = null;
let next = null;

/** Say a text; what comes later takes the place of what still waits. */
export function speak(text) {
  if (!("speechSynthesis" in window)) return;
  if (speechSynthesis.speaking) {
    next = text;
    return;
  }
  const words = new SpeechSynthesisUtterance(text);
  words.lang = language;
  words.onend = () => {
    const waiting = next;
    next = null;
    if (waiting) speak(waiting);
  };
  words.onerror = () => { next = null; };
  speechSynthesis.speak(words);
}

/** Say what the hub says, when the sound before it is over. */
export function follow({ words, after }) {
  clearTimeout(timer);
  timer = setTimeout(() => speak(words[language] ?? words.en), after * 1_000);
}

/** A cue sounds: what is being said is cut short. */
export function cut() {
  next = null;
  if ("speechSynthesis" in window) speechSynthesis.cancel();
}

/** Nothing more is said. */
export function hush() {
  clearTimeout(timer);
  cut();
}

// Who silences the hub silences every screen, also in the middle of a sentence.
watch(({ state }) => {
  const now = state?.settings;
  if (now && (now.muted || !now.aloud || now.volume === 0)) hush();
});

onSpeech((said) => {
  const wanted = choice("speech");
  if (wanted === "all" || (wanted === "mine" && said.seats.includes(mySeat(live.state)))) follow(said);
});
