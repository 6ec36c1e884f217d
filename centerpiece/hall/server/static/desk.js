// Sends what the organiser asks for; the token stays in this tab.

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
  if (answer.ok) return "";
  return (await answer.json()).error.message;
}

const kinds = {
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
  const problem = await post("/api/hall/token", {});
  said.textContent = problem;
  asks.hidden = Boolean(problem);
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
    for (const input of form.querySelectorAll("input")) {
      if (input.type === "checkbox" || input.value !== "") body[input.name] = value(input);
    }
    const problem = await post("/api/hall/orders", body);
    said.textContent = problem || "Done.";
  });
}

setInterval(async () => {
  const answer = await fetch("/api/hall");
  if (answer.ok) document.getElementById("clock").textContent = time((await answer.json()).clock);
}, 2000);

if (token) enter();
