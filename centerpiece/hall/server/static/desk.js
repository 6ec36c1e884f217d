// Sends what the organiser asks for; the token stays in this tab. What concerns every table asks
// first, and waits ten seconds in which it can be taken back.

import { time } from "./hall.js";

const said = document.getElementById("said");
const asks = document.getElementById("asks");
let token = sessionStorage.getItem("hall-token") ?? "";

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const GRACE_S = 10;
const sure = document.getElementById("sure");
const waiting = document.getElementById("waiting");

/** Whether the organiser means it: asked, and not taken back while the seconds run down. */
async function meant(what) {
  document.getElementById("sure-title").textContent = `${what}?`;
  sure.returnValue = "no";
  sure.showModal();
  await new Promise((done) => { sure.addEventListener("close", done, { once: true }); });
  if (sure.returnValue !== "yes") return false;
  waiting.hidden = false;
  let left = GRACE_S;
  const tell = () => { waiting.firstElementChild.textContent = `${what}: in ${left} s.`; };
  tell();
  const kept = await new Promise((done) => {
    const ticking = setInterval(() => {
      left -= 1;
      tell();
      if (left <= 0) { clearInterval(ticking); done(true); }
    }, 1000);
    document.getElementById("take-back").onclick = () => { clearInterval(ticking); done(false); };
  });
  waiting.hidden = true;
  if (!kept) said.textContent = "Taken back.";
  return kept;
}

const kinds = {
  number: Number,
  list: (text) => text.split(",").map((x) => x.trim()).filter(Boolean),
  pairs: (text) =>
    text.split(";").map((x) => x.trim()).filter(Boolean).map((x) => {
      const [table, ...name] = x.split(" ");
      return [table, name.join(" ")];
    }),
};

function value(input) {
  if (input.type === "checkbox") return input.checked;
  if (input.dataset.kind) return kinds[input.dataset.kind](input.value);
  return input.type === "number" ? Number(input.value) : input.value;
}

async function enter() {
  const { error, rules = [] } = await post("/api/hall/token", {});
  const problem = error?.message ?? "";
  said.textContent = problem;
  asks.hidden = document.getElementById("maintenance").hidden = Boolean(problem);
  document.getElementById("rules").replaceChildren(...rules.map((name) => new Option(name.replace("/", ": "), name)));
  document.getElementById("enter").hidden = !problem;
  if (!problem) sessionStorage.setItem("hall-token", token);
}

document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  token = new FormData(event.target).get("token");
  enter();
});

for (const form of document.querySelectorAll("[data-ask]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { type: form.dataset.ask };
    for (const input of form.querySelectorAll("input, select")) {
      if (input.type === "checkbox" || input.value !== "") body[input.name] = value(input);
    }
    const everywhere = "all" in form.dataset && !body.tables?.length;
    const what = `${form.querySelector("legend").textContent}: ${form.querySelector("button").textContent}`;
    if (everywhere && !(await meant(what))) return;
    const { error } = await post("/api/hall/orders", body);
    said.textContent = error?.message ?? "Done.";
  });
}

setInterval(async () => {
  const answer = await fetch("/api/hall");
  if (!answer.ok) return;
  const hall = await answer.json();
  document.getElementById("clock").textContent = time(hall.clock);
  document.getElementById("tables").replaceChildren(...hall.tables.map(({ table }) => new Option(table)));
}, 2000);

if (token) enter();
