const cacheName = "pages-1";
const shell = [
  "/",
  "/assets/theme.css",
  "/assets/style.css",
  "/assets/enhance.js",
  "/assets/icon.svg",
  "/assets/offline.html",
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(shell)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)))),
  );
});

// What is new comes from the network; without one, what was seen last is shown. The API is never kept, nor is a page that
// is somebody's own.
self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || pathname.startsWith("/api/")) return;
  event.respondWith(fromNetwork(event.request).catch(() => fromCache(event.request)));
});

async function fromNetwork(request) {
  const response = await fetch(request);
  const isPrivate = response.headers.get("cache-control")?.includes("no-store") ?? false;
  if (response.ok && !isPrivate) await (await caches.open(cacheName)).put(request, response.clone());
  return response;
}

async function fromCache(request) {
  return (await caches.match(request)) ?? (await caches.match("/assets/offline.html")) ?? Response.error();
}
