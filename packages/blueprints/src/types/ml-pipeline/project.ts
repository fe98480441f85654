import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";

/** The program of a pipeline, written in one of the languages. */
export interface Project {
  readonly files: () => FileSet;
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  readonly framework: string;
  /** What must be installed, in words. */
  readonly needs: string;
  /** How a program uses the model. */
  readonly example: string;
  /** The command that runs a step, by the document's name for it. */
  commandOf(step: string): string;
  /** Whether a command runs a step or a script; undefined if it runs something else. */
  runs(command: string): boolean | undefined;
  /** The values of the stack that the program honours. */
  readonly stack: Readonly<Record<string, RegExp>>;
}
