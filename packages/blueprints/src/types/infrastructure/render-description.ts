import { createRequire } from "node:module";
import type { Description } from "./read-description.ts";

export interface Findings {
  readonly unresolved: readonly string[];
  readonly addresses: readonly { readonly subnet: string | null; readonly text: string }[];
  readonly violations: readonly { readonly policy: string; readonly environment: string; readonly text: string }[];
}

interface Range {
  readonly first: number;
  readonly last: number;
}

type Files = Readonly<Record<string, string>>;

interface ResultProgram {
  renderAll(description: Description): Files;
  checkAll(description: Description, files: Files, rendered: Files): Findings;
  rangeOf(cidr: string): Range;
  cidrOf(first: number, bits: number): string;
}

const require = createRequire(import.meta.url);

/**
 * The result's own program renders and checks, so the plan shows exactly the files that it would write. Only documents of
 * this type load it: whoever starts the service would wait for it otherwise.
 */
export function loadProgram(): ResultProgram {
  const { renderAll } = require("./files/render/all.js");
  const { checkAll } = require("./files/check/all.js");
  const { rangeOf, cidrOf } = require("./files/check/addresses.js");
  return { renderAll, checkAll, rangeOf, cidrOf };
}
