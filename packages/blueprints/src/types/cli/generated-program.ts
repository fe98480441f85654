import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";

/** A program, written in one of the languages. */
export interface GeneratedProgram {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** All of it: its parts name each other. */
  readonly files: () => FileSet;
  /** Whether a path is a file of the program, which cannot also start it. */
  readonly isTaken: (file: string) => boolean;
}
