import { readFileSync } from "node:fs";

/** The text of the program that serves a site. */
export function siteServer(): string {
  return readFileSync(new URL("./site-server.mjs", import.meta.url), "utf8");
}

/** The text of the program that builds a wheel of a pure Python package. */
export function wheelBuilder(): string {
  return readFileSync(new URL("./build-wheel.py", import.meta.url), "utf8");
}
