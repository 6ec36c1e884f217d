// Draws the hall as the server tells it, every two seconds.

const part = 100;
const begin = { people: 0, tables: 0 };
const byId = (id) => document.getElementById(id);

export function time(clock) {
  if (!clock) return "";
  const s = clock.remaining_s;
  const two = (n) => String(n).padStart(2, "0");
  return s >= 3600
    ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
    : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

function row(cells) {
  const tr = document.createElement("tr");
  cells.forEach(([text, kind], at) => {
    const cell = document.createElement(kind === "th" ? "th" : "td");
    if (kind === "th") cell.scope = "row";
    if (kind === "number") cell.className = "number";
    cell.textContent = text ?? "";
    tr.append(cell);
  });
  return tr;
}

const phases = { lobby: "lobby", playing: "", scoring: "scoring", finished: "done" };

function seen(seconds) {
  if (seconds === null) return "never";
  if (seconds < 30) return "now";
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

function tableRow(t) {
  const round = t.round ? `${t.round} of ${t.rounds ?? "–"} ${phases[t.phase]}` : phases[t.phase];
  const engine = t.engine === null ? "" : `double ${t.engine}`;
  const tr = row([[t.table, "th"], [round], [engine], [time(t.clock)], [seen(t.seen_s)]]);
  for (const flag of t.flags) {
    const mark = document.createElement("span");
    mark.className = "flags";
    mark.textContent = flag;
    tr.cells[0].append(mark);
  }
  return tr;
}

function draw(hall) {
  byId("title").textContent = hall.title;
  document.title = hall.title;
  const c = hall.counts;
  const state = hall.final ? "All tables are done." : hall.finish ? "The last round." : "";
  byId("summary").textContent =
    `${c.people} people at ${c.tables} tables, ${c.playing} playing, ${c.finished} done. ${state}`;
  byId("clock").textContent = time(hall.clock);
  byId("trouble").textContent = hall.trouble;
  byId("ties").replaceChildren(
    ...hall.ties.map((tie) => {
      const p = document.createElement("p");
      p.textContent = `Place ${tie.place} is shared by ${tie.people.map((x) => x.name).join(", ")}.`;
      return p;
    }),
  );
  byId("people").replaceChildren(
    ...hall.people.map((p) =>
      row([[p.place ?? "–", "number"], [p.name, "th"], [p.table], [p.total, "number"]]),
    ),
  );
  byId("tables").replaceChildren(...hall.tables.map(tableRow));
  for (const button of document.querySelectorAll("[data-list]")) {
    const next = begin[button.dataset.list] + Number(button.dataset.by);
    button.hidden = next < 0 || next >= hall[`${button.dataset.list}_found`];
  }
}

async function look() {
  const q = new FormData(byId("search")).get("q");
  const query = new URLSearchParams({ q, people: begin.people, tables: begin.tables });
  try {
    const answer = await fetch(`/api/hall?${query}`);
    if (answer.ok) draw(await answer.json());
  } catch {
    byId("trouble").textContent = "The hall does not answer; trying again.";
  }
}

if (byId("people")) {
  byId("search").addEventListener("input", () => { begin.people = begin.tables = 0; look(); });
  byId("search").addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("[data-list]")) {
    button.addEventListener("click", () => {
      begin[button.dataset.list] = Math.max(0, begin[button.dataset.list] + Number(button.dataset.by));
      look();
    });
  }
  look();
  setInterval(look, 2000);
}
