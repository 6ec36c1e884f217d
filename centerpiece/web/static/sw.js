// The service worker: network first; without a connection, the last version from the cache.

const CACHE = "centerpiece-1";
// The hub fills in the list of pages and files.
const SHELL = [...{{files}}, "/api/about", "/api/panel", "/api/rules", "/api/rulecard", "/api/players"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { pathname, search, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (!SHELL.includes(pathname)) return;
  // A question such as `?rules=` has an answer of its own; pages are the same with any.
  event.respondWith(fresh(event.request, /^\/api\//.test(pathname) ? pathname + search : pathname));
});

async function fresh(request, name) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(name, answer.clone());
    return answer;
  } catch {
    return (await cache.match(name)) ?? Response.error();
  }
}
