// The connection to the hub: the newest state, the connection's state, requests and commands.

import { choice } from "./choices.js";

const KEY = "centerpiece.state";
const AGAIN_MS = 1_500;
const SILENCE = 34_000; // The hub sends a heartbeat every 15 s.

const watchers = [];
const hearers = [];
let source = null;
let silence = null;

/** @type {{ state: State | null, connected: boolean, seen: number, started: number }} */
export const live = {
  state: embedded() ?? remembered(),
  connected: true,
  seen: Date.now(),
  started: performance.now(),
};

function embedded() {
  const block = document.getElementById("data");
  if (!block) return null;
  const state = JSON.parse(block.textContent);
  const kept = remembered();
  // A page opened offline has an old state in it; the stored one may be newer.
  return !navigator.onLine && kept && kept.seq > state.seq ? kept : state;
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEY))?.state ?? null;
  } catch {
    return null;
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, JSON.stringify({ state: live.state, seen: live.seen }));
  } catch {
    // Storage is refused or full: only offline pages use it.
  }
}

/**
 * Call `changed` now and whenever the state or the connection changes.
 * @param {(now: typeof live) => void} changed
 */
export function watch(changed) {
  watchers.push(changed);
  changed(live);
  if (!source) connect();
}

/** Call `hear` with everything the hub says in words. */
export const onSpeech = (hear) => hearers.push(hear);

const tell = () => watchers.forEach((changed) => changed(live));

function connect() {
  source?.close();
  const language = choice("language") || live.state?.settings?.language || "en";
  source = new EventSource(`/api/events?language=${language}`);
  source.onmessage = (event) => {
    live.state = JSON.parse(event.data);
    live.started = performance.now();
    alive();
    remember();
    tell();
  };
  source.addEventListener("heartbeat", alive);
  source.addEventListener("speech", (event) => hearers.forEach((hear) => hear(JSON.parse(event.data))));
  source.onerror = () => {
    lost();
    // The browser reconnects by itself, unless the stream is closed.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2_000);
  };
  listenForSilence();
}

function alive() {
  live.seen = Date.now();
  listenForSilence();
  if (!live.connected) {
    live.connected = true;
    tell();
  }
}

function listenForSilence() {
  clearTimeout(silence);
  silence = setTimeout(() => { lost(); connect(); }, SILENCE);
}

function lost() {
  if (!live.connected) return;
  live.connected = false;
  tell();
}

addEventListener("offline", lost);
addEventListener("online", () => source && connect());
document.addEventListener("visibilitychange", () => {
  if (source && document.visibilityState === "visible" && !live.connected) connect();
});

/** Seconds left on the game's clock, counted down locally; null without one. */
export const clockLeft = () => left(live.state?.clock?.remaining_s, Math.floor);

/** Seconds left to answer the open question; null without one, or if it stays open. */
export const questionLeft = () => left(live.state?.question?.remaining_s);

const left = (seconds, whole = (passed) => passed) => (typeof seconds === "number"
  ? Math.max(0, seconds - whole((performance.now() - live.started) / 1000)) : null);

/**
 * Send a request; resolves to the answer, or to `{error}` with a sentence. Never rejects.
 * An order without an answer is sent once more: by its key the hub knows whether it was done.
 */
export async function ask(method, path, body, headers = {}) {
  const request = { method, headers: { ...headers } };
  if (method !== "GET") {
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    Object.assign(request.headers, { "Content-Type": "application/json", "Idempotency-Key": key });
  }
  if (body !== undefined) request.body = JSON.stringify(body);
  try {
    const answer = await fetch(path, request).catch(() => again(path, request));
    return await answer.json();
  } catch {
    const template = "The hub does not answer. See whether it was done before you do it again.";
    return { error: { code: "offline", message: template, said: { template } } };
  }
}

async function again(path, request) {
  if (request.method !== "GET") await new Promise((waited) => { setTimeout(waited, AGAIN_MS); });
  return fetch(path, request);
}

/** Send a command; with `seen`, only for the state that this page shows. */
export const send = (command, seen = false) =>
  ask("POST", "/api/commands", command, seen ? { "If-Match": `"${live.state.seq}"` } : {});
