import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../public/", import.meta.url);

const types = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  html: "text/html; charset=utf-8",
  webmanifest: "application/manifest+json; charset=utf-8",
};

/** These must stand at the root: a service worker covers only what is beside or below it. */
const atRoot = new Set(["service-worker.js", "manifest.webmanifest"]);

/** The files of the folder `public`, read once at the start. */
export function assetRoutes() {
  return readdirSync(folder).map((name) => {
    const answer = {
      text: readFileSync(new URL(name, folder)),
      type: types[name.split(".").at(-1)],
      headers: { "cache-control": "no-cache" },
    };
    return {
      method: "GET",
      path: atRoot.has(name) ? `/${name}` : `/assets/${name}`,
      isAlwaysOpen: true,
      handle: () => answer,
    };
  });
}
