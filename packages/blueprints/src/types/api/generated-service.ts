import type { FileSet } from "../../kit/file-set.ts";
import type { Scripts, Unmet } from "../../plugin.ts";

/** A service, written in one of the languages. */
export interface GeneratedService {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** The program, its tests, and its model; made when they are wanted. */
  readonly files: () => FileSet;
}
