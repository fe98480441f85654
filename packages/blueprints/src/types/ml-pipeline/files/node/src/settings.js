import { readFileSync } from "node:fs";

/** What the pipeline is about, as data: where the rows are, what is predicted, and by which model. */
export function loadSettings() {
  return JSON.parse(readFileSync(new URL("./settings.json", import.meta.url), "utf8"));
}
