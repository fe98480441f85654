import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";
import type { Command } from "./model.ts";

/** A program, written in one of the languages. */
export interface GeneratedProgram {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** All but the commands. Lines with these pointers are not met and get no test. */
  readonly foundation: (unmet: ReadonlySet<string>) => FileSet;
  /** The module and the tests of one command. */
  readonly command: (command: Command) => FileSet;
}
