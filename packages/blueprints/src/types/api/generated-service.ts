import type { FileSet } from "../../kit/file-set.ts";
import type { BuildTask, Scripts, Unmet } from "../../plugin.ts";

/** A service, written in one of the languages. */
export interface GeneratedService {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** What is there whatever the tasks ask for: the program, its tests, and the resources that the document declares. */
  readonly foundation: () => FileSet;
  /** What a task adds for its lines of acceptance: resources and routes that only they ask for, and their tests. */
  readonly slice: (task: Pick<BuildTask, "id" | "lines">) => FileSet;
}
