import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Undici has a hundred files: they are loaded at the first call, so that the service starts without them. */
export function loadUndici(): typeof import("undici") {
  return require("undici") as typeof import("undici");
}
