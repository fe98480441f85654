import { specJsonSchema } from "../src/index.ts";
import { diagnosticsReference } from "./diagnostics-reference.ts";
import { documentReference } from "./document-reference.ts";
import { outcomeTypePages } from "./outcome-type-reference.ts";

/** The files that are generated from the source, by their path in the repository. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    "packages/spec/spec.schema.json": `${JSON.stringify(specJsonSchema(), null, 2)}\n`,
    "docs/reference/document.md": documentReference(),
    "docs/reference/diagnostics.md": diagnosticsReference(),
    ...outcomeTypePages(),
  };
}

export const repositoryRoot = new URL("../../../", import.meta.url);
