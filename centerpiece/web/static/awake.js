// Keeps a screen awake.

let lock = null;
let video = null;

/** Call from within a tap. The wake lock needs a secure page; elsewhere a playing video does it. */
export async function stayAwake() {
  if (lock || video) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = null; });
  } catch {
    await playVideo();
  }
}

/** Record and loop a muted video of one dark frame. */
async function playVideo() {
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
    video = null; // Without either, the device's own timeout applies.
  }
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") video?.play();
});
