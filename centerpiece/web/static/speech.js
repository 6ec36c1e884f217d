// The hub's words in the browser's own voice: all of them, or only those about my seat. Loaded only
// where it is switched on. Browsers speak only after a tap on the page.

import { choice } from "./choices.js";
import { live, onSpeech, watch } from "./live.js";
import { mySeat } from "./mine.js";
import { language } from "./words.js";

let timer = null;
let next = null;

/** Say a text. At most one text waits, the newest. */
export function speak(text) {
  if (!("speechSynthesis" in window)) return;
  if (speechSynthesis.speaking) {
    next = text;
    return;
  }
  const words = new SpeechSynthesisUtterance(text);
  words.lang = language;
  if (live.state?.settings.calm) words.rate = words.pitch = 0.8;
  words.onend = () => {
    const pending = next;
    next = null;
    if (pending) speak(pending);
  };
  words.onerror = () => { next = null; };
  speechSynthesis.speak(words);
}

/** Say the hub's words after the cue before them. */
export function follow({ words, after }) {
  clearTimeout(timer);
  timer = setTimeout(() => speak(words[language] ?? words.en), after * 1_000);
}

/** Stop speaking, because a cue sounds. */
export function cut() {
  next = null;
  if ("speechSynthesis" in window) speechSynthesis.cancel();
}

/** Stop speaking, also what is about to be said. */
export function hush() {
  clearTimeout(timer);
  cut();
}

// Silencing the hub silences every screen at once.
watch(({ state }) => {
  const now = state?.settings;
  if (now && (now.muted || !now.aloud || now.volume === 0)) hush();
});

onSpeech((message) => {
  const scope = choice("speech");
  if (scope === "all" || (scope === "mine" && message.seats.includes(mySeat(live.state)))) follow(message);
});
