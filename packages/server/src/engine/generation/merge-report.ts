import type { Conflict } from "../../platform/git/index.ts";
import type { RunError } from "../lifecycle/index.ts";

/** Whose files a run is merged with: those of a project that went live, or a source that somebody put. */
export type MergedWith = { readonly project_id: string } | { readonly put_at: string };

/** The result of merging a person's changes with what is generated anew. */
export interface MergeReport {
  readonly merged_with: MergedWith;
  readonly conflicts: readonly Conflict[];
  /** Files that are no longer generated, but stay because a person changed them. */
  readonly kept: readonly string[];
}

/** How many files an error names. */
const maxNamed = 10;

/** Why a project with conflicts cannot continue, and what to do; undefined if there are none. */
export function conflictError(projectId: string, report: MergeReport | null | undefined): RunError | undefined {
  const conflicts = report?.conflicts ?? [];
  if (conflicts.length === 0) return undefined;
  const named = conflicts.slice(0, maxNamed).map(({ path }) => path);
  const more = conflicts.length > maxNamed ? ` and ${conflicts.length - maxNamed} more` : "";
  return {
    code: "regeneration_conflict",
    message: `The changed document and your changes contradict each other in ${named.join(", ")}${more}. Resolve them and put the source again: slipway source get ${projectId} DIR, edit the files, slipway source put ${projectId} DIR, and run the document anew.`,
  };
}

/** A conflict in a line, for a log. */
export function describeConflict({ path, kind, lines, beside }: Conflict): string {
  const where = lines.map(({ from, to }) => `${from}-${to}`).join(", ");
  switch (kind) {
    case "changed":
      return `conflict in ${path}, lines ${where}: you and the document changed the same place`;
    case "added":
      return `conflict in ${path}, lines ${where}: you and the document both added this file`;
    case "binary":
      return `conflict in ${path}: you and the document changed it, and it is not text; yours is kept, the other is ${beside}`;
    case "deleted":
      return `conflict in ${path}: you deleted it and the document changed it; it is there again`;
    case "place":
      return `conflict in ${path}: one has a file where the other has a folder; the file is ${beside}`;
  }
}
