// Keeps a screen awake that nobody touches for a while.

let lock = null;
let video = null;

/** From within a tap. The interface for it needs a secure page; elsewhere a film has to run. */
export async function stayAwake() {
  if (lock || video) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = null; });
  } catch {
    await film();
  }
}

/** A muted film of one dark frame, made here and looped. */
async function film() {
  try {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2;
    const pen = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(5));
    const parts = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    const made = new Promise((done) => { recorder.onstop = done; });
    recorder.start();
    for (let frame = 0; frame < 5; frame += 1) {
      pen.fillRect(0, 0, 2, 2);
      await new Promise((done) => { setTimeout(done, 100); });
    }
    recorder.stop();
    await made;
    video = Object.assign(document.createElement("video"), { muted: true, loop: true, playsInline: true });
    video.src = URL.createObjectURL(new Blob(parts, { type: recorder.mimeType }));
    await video.play();
  } catch {
    video = null; // Without either, the screen does as its owner has set it.
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") video?.play();
});
