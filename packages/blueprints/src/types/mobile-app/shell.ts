import { createHash } from "node:crypto";
import type { CompleteSpec } from "@slipway/spec";
import { appIcon } from "../../kit/app-icon.ts";
import { luminance, onColour, sixDigits } from "../../kit/colour.ts";
import { html, js } from "../../kit/quote.ts";
import { colourOf, type Fields, fieldsOf, listOf, textOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import type { Screen } from "./read-screens.ts";

export interface Install {
  readonly shortName: string;
  readonly display: string;
  readonly orientation: string;
  readonly theme: string;
  readonly ground: string;
  readonly letter: string;
  readonly shape: string;
  readonly sizes: readonly number[];
}

/** How the app looks on a home screen. */
export function installOf(document: CompleteSpec, unmet: Unmet[]): Install {
  const install = fieldsOf(fieldsOf(document)["install"]);
  const icon = fieldsOf(install["icon"]);
  const name = document.name.trim() === "" ? document.id : document.name.trim();
  const colour = (key: string, fallback: string) => {
    const found = colourOf(install[key]);
    if (install[key] !== undefined && found === undefined)
      unmet.push({ pointer: `/install/${key}`, reason: "A colour is written like #1a2b3c." });
    return sixDigits(found ?? fallback);
  };
  const one = (key: string, known: readonly string[]) => known.find((value) => value === install[key]) ?? known[0]!;
  const sizes = listOf(icon["sizes"]).filter(
    (size): size is number => Number.isInteger(size) && Number(size) >= 16 && Number(size) <= 2048,
  );
  return {
    shortName: textOf(install["short_name"], name).slice(0, 60),
    display: one("display", ["standalone", "fullscreen", "minimal-ui"]),
    orientation: one("orientation", ["any", "portrait", "landscape"]),
    theme: colour("theme_color", "#2f5d8a"),
    ground: colour("background_color", "#ffffff"),
    letter: [...textOf(icon["letter"], name)][0]!.toUpperCase(),
    shape: textOf(icon["shape"], "square"),
    sizes: sizes.length > 0 ? [...new Set(sizes)] : [192, 512],
  };
}

export function manifestOf({ name, id, description }: CompleteSpec, install: Install): string {
  const manifest = {
    name: name.trim() === "" ? id : name,
    short_name: install.shortName,
    description,
    start_url: "/",
    scope: "/",
    display: install.display,
    orientation: install.orientation,
    theme_color: install.theme,
    background_color: install.ground,
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

interface IconFile {
  readonly path: string;
  readonly size: number;
  readonly isMaskable: boolean;
}

/** The pictures of the app: those that the document asks for, those that phones want, and one that they may cut. */
export function iconsOf({ sizes }: Install): readonly IconFile[] {
  const all = [...new Set([...sizes, 192, 512])].toSorted((a, b) => a - b);
  return [
    ...all.map((size) => ({ path: `icons/icon-${size}.png`, size, isMaskable: false })),
    { path: "icons/icon-maskable-512.png", size: 512, isMaskable: true },
  ];
}

export function iconBytes({ letter, theme }: Install, { size, isMaskable }: IconFile): Uint8Array {
  return appIcon({ size, letter, colour: theme, isMaskable });
}

export const vectorIcon = "icons/icon.svg";

/** The letter on its shape, for where a picture of any size is taken. */
export function iconOf({ letter, shape, theme }: Install): string {
  const front = onColour(theme);
  const shapes: Readonly<Record<string, string>> = {
    circle: '<circle cx="50" cy="50" r="36"/>',
    leaf: '<path d="M16 84 C8 36 44 14 86 16 C88 58 64 92 16 84 Z"/>',
  };
  const back = shapes[shape] ?? '<rect x="16" y="16" width="68" height="68" rx="14"/>';
  return `
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <rect width="100" height="100" fill="${theme}"/>
  <g fill="${front}" fill-opacity="0.16">${back}</g>
  <text x="50" y="66" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="46" fill="${front}">${html(letter)}</text>
</svg>`;
}

/** The colours as CSS; those of texts follow from the ground, so that they can be read on it. */
export function themeCss({ theme, ground }: Install, targetPx: number): string {
  const isDark = onColour(ground) === "#ffffff";
  const front = onColour(ground);
  const lightness = luminance(ground);
  // On a ground of middling brightness only black or white themselves can be read well.
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
  const lines = Object.entries(colours).map(([name, value]) => `  --${name}: ${value};`);
  return [":root {", ...lines, `  --target: ${targetPx}px;`, "}"].join("\n");
}

interface Navigation {
  readonly tabs: readonly Screen[];
  readonly add?: Screen | undefined;
}

/** The page of a screen: its title, the ways to others, and a place for what the script shows. */
export function pageOf(
  { name, id, description }: CompleteSpec,
  screen: Screen,
  { tabs, add }: Navigation,
  install: Install,
): string {
  const app = html(name.trim() === "" ? id : name);
  const link = (tab: Screen) =>
    `      <a href="${html(tab.path)}" data-link${tab.id === screen.id ? ' aria-current="page"' : ""}>${html(tab.title)}</a>`;
  const plus =
    add === undefined ? [] : [`      <a class="add" href="${html(add.path)}" data-link aria-label="Add">+</a>`];
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="description" content="${html(description.replace(/\s+/g, " ").trim().slice(0, 300))}">
    <meta name="theme-color" content="${install.theme}">
    <title>${html(screen.title)} · ${app}</title>
    <link rel="manifest" href="/manifest.webmanifest">
    <link rel="icon" href="/${vectorIcon}" type="image/svg+xml">
    <link rel="apple-touch-icon" href="/icons/icon-192.png">
    <link rel="stylesheet" href="/app/style.css">
    <script type="module" src="/app/main.js"></script>
  </head>
  <body>
    <header><h1 id="heading">${html(screen.title)}</h1></header>
    <main id="app"><noscript><p>This app keeps everything on your device, and needs JavaScript for that.</p></noscript></main>
    <nav aria-label="Screens">
${[...tabs.map(link), ...plus].join("\n")}
    </nav>
  </body>
</html>`;
}

/** Keeps everything for when there is no signal. Its version follows from what it keeps. */
export function workerOf(id: string, files: ReadonlyMap<string, string | Uint8Array>): string {
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

export function promisesOf({ acceptance }: CompleteSpec): Fields {
  const { offline, touch, first_load_max_kb: firstLoad } = fieldsOf(acceptance);
  const number = (value: unknown, fallback: number) => (typeof value === "number" && value >= 0 ? value : fallback);
  return {
    precached: listOf(fieldsOf(offline)["precached"]).filter((path) => typeof path === "string"),
    otherHostsMax: number(fieldsOf(offline)["requests_to_other_hosts_max"], 0),
    targetMinPx: number(fieldsOf(touch)["target_min_px"], 44),
    contrastMin: number(fieldsOf(touch)["contrast_ratio_min"], 4.5),
    firstLoadMaxKb: number(firstLoad, 500),
  };
}
