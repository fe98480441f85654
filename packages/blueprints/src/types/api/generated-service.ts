import type { FileSet } from "../../kit/file-set.ts";
import type { BuildTask, Scripts, Unmet } from "../../plugin.ts";

/** A service, written in one of the languages. */
export interface GeneratedService {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** What every task writes: the program, its tests, and the declared resources. */
  readonly foundation: () => FileSet;
  /** What a task adds for its acceptance lines: resources and routes that only they need, and their tests. */
  readonly slice: (task: Pick<BuildTask, "id" | "lines">) => FileSet;
}
