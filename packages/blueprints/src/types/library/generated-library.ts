import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";

/** A library, written in one of the languages. */
export interface GeneratedLibrary {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  readonly files: () => FileSet;
}
