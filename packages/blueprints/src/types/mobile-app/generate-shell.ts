import { createHash } from "node:crypto";
import type { CompleteSpec } from "@slipway/spec";
import { luminance, mix, onColour } from "../../kit/colour.ts";
import { html, js } from "../../kit/quote.ts";
import { titleOf } from "../../kit/title.ts";
import { iconsOf, vectorIcon } from "./generate-icons.ts";
import type { Install } from "./read-install.ts";
import type { Navigation, Screen } from "./read-screens.ts";

/** What a phone reads before it installs the app. */
export function generateManifest(document: CompleteSpec, install: Install): string {
  const manifest = {
    name: titleOf(document),
    short_name: install.shortName,
    description: document.description,
    start_url: "/",
    scope: "/",
    display: install.display,
    orientation: install.orientation,
    theme_color: install.theme,
    background_color: install.darkMode === "always" ? darkGround(install.ground) : install.ground,
    icons: [
      ...iconsOf(install).map(({ path, size, isMaskable }) => ({
        src: `/${path}`,
        sizes: `${size}x${size}`,
        type: "image/png",
        purpose: isMaskable ? "maskable" : "any",
      })),
      { src: `/${vectorIcon}`, sizes: "any", type: "image/svg+xml", purpose: "any" },
    ],
  };
  return JSON.stringify(manifest, undefined, 2);
}

/** The colours as CSS. Text colours follow from the background, so that text is readable. */
export function generateTheme({ theme, ground, darkMode, targetPx }: Install): string {
  const light = coloursOf(theme, ground);
  const dark = coloursOf(theme, darkGround(ground));
  const scheme =
    darkMode === "auto"
      ? "light dark"
      : onColour(darkMode === "always" ? darkGround(ground) : ground) === "#ffffff"
        ? "dark"
        : "light";
  const root = [
    ":root {",
    `  color-scheme: ${scheme};`,
    ...(darkMode === "always" ? dark : light),
    `  --target: ${targetPx}px;`,
    "}",
  ];
  if (darkMode !== "auto") return root.join("\n");
  const inside = [":root {", ...dark, "}"].map((line) => `  ${line}`);
  return [...root, "", "@media (prefers-color-scheme: dark) {", ...inside, "}"].join("\n");
}

/** The background itself if it is dark, else a dark one with a little of its colour. */
function darkGround(ground: string): string {
  return onColour(ground) === "#ffffff" ? ground : mix("#101418", ground, 0.03);
}

function coloursOf(theme: string, ground: string): readonly string[] {
  const isDark = onColour(ground) === "#ffffff";
  const front = onColour(ground);
  const lightness = luminance(ground);
  // On a background of medium brightness only pure black or white is readable.
  const isPure = lightness > 0.02 && lightness < 0.75;
  const colours = {
    theme,
    "on-theme": onColour(theme),
    ground,
    text: isPure ? front : isDark ? "#f2f4f7" : "#16202b",
    muted: isPure ? front : isDark ? "#b8c2cc" : "#4a5663",
    line: isDark ? "#4b5763" : "#c9d1d9",
    error: isPure ? front : isDark ? "#ffb3ab" : "#9c1c12",
  };
  return Object.entries(colours).map(([name, value]) => `  --${name}: ${value};`);
}

/** The HTML of a screen: its title, the navigation, and a container for the script. */
export function generatePage(
  document: CompleteSpec,
  screen: Screen,
  { tabs, add }: Navigation,
  install: Install,
): string {
  const app = html(titleOf(document));
  const link = (tab: Screen) =>
    `      <a href="${html(tab.path)}" data-link${tab.id === screen.id ? ' aria-current="page"' : ""}>${html(tab.title)}</a>`;
  const path = screen.add ?? add?.path;
  const plus = path === undefined ? [] : [`      <a class="add" href="${html(path)}" data-link aria-label="Add">+</a>`];
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="description" content="${html(document.description.replace(/\s+/g, " ").trim().slice(0, 300))}">
    <meta name="theme-color" content="${install.theme}">
    <title>${html(screen.title)} · ${app}</title>
    <link rel="manifest" href="/manifest.webmanifest">
    <link rel="icon" href="/${vectorIcon}" type="image/svg+xml">
    <link rel="apple-touch-icon" href="/icons/icon-192.png">
    <link rel="stylesheet" href="/app/style.css">
    <script type="module" src="/app/main.js"></script>
  </head>
  <body>
    <header><h1 id="heading" tabindex="-1">${html(screen.title)}</h1></header>
    <main id="app"><noscript><p>This app keeps everything on your device, and needs JavaScript for that.</p></noscript></main>
    <p id="status" role="status"></p>
    <nav aria-label="Screens">
${[...tabs.map(link), ...plus].join("\n")}
    </nav>
  </body>
</html>`;
}

/** The service worker: caches everything for offline use. Its version is a hash of the cached files. */
export function generateWorker(id: string, files: ReadonlyMap<string, string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const [path, content] of files) hash.update(`${path}\n`).update(content);
  const version = hash.digest("hex").slice(0, 12);
  const list = [...files.keys()].map((path) => `  ${js(path)}`);
  return `
const cacheName = ${js(`${id}-${version}`)};
const files = [
${list.join(",\n")}
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)));
  self.skipWaiting();
});

// What an older version of the app kept is of no use any more.
self.addEventListener("activate", (event) => {
  const others = (names) => names.filter((name) => name !== cacheName);
  event.waitUntil(caches.keys().then((names) => Promise.all(others(names).map((name) => caches.delete(name)))));
  self.clients.claim();
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(
    caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)),
  );
});`;
}
