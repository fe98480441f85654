import { createRequire } from "node:module";
import type { Description } from "./read-description.ts";

export interface Findings {
  readonly unresolved: readonly string[];
  readonly violations: readonly { readonly policy: string; readonly environment: string; readonly text: string }[];
}

type Files = Readonly<Record<string, string>>;

interface ResultProgram {
  renderAll(description: Description): Files;
  checkAll(description: Description, files: Files, rendered: Files): Findings;
}

const require = createRequire(import.meta.url);

/**
 * The result's own program renders and checks, so the plan shows exactly the files that it would write. Only documents of
 * this type load it: whoever starts the service would wait for it otherwise.
 */
export function loadProgram(): ResultProgram {
  const { renderAll } = require("./files/render/all.js");
  const { checkAll } = require("./files/check/all.js");
  return { renderAll, checkAll };
}
