import type { ProcessTree } from "./process-tree.ts";

/** Runs that keep their limits of memory, processes and cores together, such as the programs of one agent. */
export class RunsTogether {
  readonly trees = new Set<ProcessTree>();
  /** How all of them are pinned to cores; undefined before the first one. */
  pinning: readonly string[] | undefined;
}
