import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";

/** The program of a pipeline, in one of the languages. */
export interface Project {
  readonly files: () => FileSet;
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  readonly framework: string;
  /** What must be installed, in words. */
  readonly needs: string;
  /** How a step is run, by the document's name of it. */
  commandOf(step: string): string;
  runs(command: string): boolean;
  /** What the stack may name because the program is made of it. */
  readonly stack: Readonly<Record<string, RegExp>>;
}
