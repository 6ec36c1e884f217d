// The hub's sounds on a page. Browsers allow them only after a tap on the page.

let audio = null;
const sounds = new Map();

async function load(cue) {
  if (!sounds.has(cue)) {
    sounds.set(cue, fetch(`/api/sounds/${cue}.wav`).then((answer) => answer.arrayBuffer())
      .then((file) => audio.decodeAudioData(file)));
  }
  return sounds.get(cue);
}

/** Switch sound on and preload cues, or switch it off. Call from within a tap. */
export async function loud(on, cues = []) {
  if (on) audio ??= new AudioContext();
  await (on ? audio.resume() : audio?.suspend());
  if (on) for (const cue of cues) await load(cue);
}

/** Play a cue, if sound is on. */
export async function play(cue, volume = 1) {
  if (audio?.state !== "running") return;
  const source = audio.createBufferSource();
  const gain = audio.createGain();
  source.buffer = await load(cue);
  gain.gain.value = volume;
  source.connect(gain).connect(audio.destination);
  source.start();
}
