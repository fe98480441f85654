import type { CompleteSpec } from "@slipway/spec";
import type { OutcomeType, Scripts, Unmet } from "../plugin.ts";
import type { FileSet } from "./file-set.ts";
import { writeFiles } from "./write-files.ts";

/** What a document becomes. */
export interface Design {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** Made when they are wanted: a plan needs none. */
  readonly files: () => FileSet;
}

/** A type whose parts name each other: every task writes the whole of it. */
export function wholeType(
  name: string,
  languages: readonly string[],
  design: (document: CompleteSpec) => Design,
): OutcomeType {
  // Pure: every task of a document comes to the same.
  const known = new WeakMap<CompleteSpec, Design>();
  const designOf = (document: CompleteSpec) => {
    const found = known.get(document) ?? design(document);
    known.set(document, found);
    return found;
  };
  return {
    name,
    languages,
    plan: (document) => {
      const { scripts, unmet } = designOf(document);
      return { scripts: { ...scripts, ...document.scripts }, unmet };
    },
    build: (task, workspace) => writeFiles(workspace, task, designOf(workspace.document).files()),
  };
}
