// Opens the pages without a connection, as they were last seen. With one, the hub's word counts.

const CACHE = "centerpiece-1";
const SHELL = [
  "/", "/board", "/history", "/rules", "/settings",
  "/static/style.css", "/static/board.css", "/static/icons.svg", "/static/icon.svg",
  "/static/dom.js", "/static/choices.js", "/static/words.js", "/static/live.js", "/static/page.js",
  "/static/tile.js", "/static/phone.js", "/static/dialogs.js", "/static/keypad.js", "/static/sheet.js",
  "/static/setup.js", "/static/board.js", "/static/chart.js", "/static/history.js", "/static/rules.js",
  "/static/settings.js", "/static/en.json", "/static/es.json", "/static/manifest.webmanifest",
  "/api/about", "/api/panel", "/api/rules", "/api/rulecard", "/api/players",
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (!SHELL.includes(pathname)) return;
  event.respondWith(fresh(event.request, pathname));
});

async function fresh(request, pathname) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(pathname, answer.clone());
    return answer;
  } catch {
    return (await cache.match(pathname)) ?? Response.error();
  }
}
