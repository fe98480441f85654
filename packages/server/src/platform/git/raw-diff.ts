import { inTurns } from "../in-turns.ts";

/** One path that differs between two trees. */
export interface RawChange {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
}

export const modes = { none: "000000", link: "120000", executable: "100755", repository: "160000" } as const;

/**
 * Parses the output of `git diff-tree --raw -z` and `git diff-index --raw -z`, without renames: two fields per path. In
 * turns, for the names of a project may take 60 MB.
 */
export function parseRawDiff(output: Buffer): Promise<RawChange[]> {
  return Array.fromAsync(inTurns(changesIn(output)));
}

function* changesIn(output: Buffer): Generator<RawChange> {
  for (let start = 0; start < output.length; ) {
    const middle = output.indexOf(0, start);
    const end = output.indexOf(0, middle + 1);
    if (middle === -1 || end === -1) return;
    const [oldMode = "", newMode = ""] = output.toString("latin1", start + 1, middle).split(" ");
    yield { path: output.toString("utf8", middle + 1, end), oldMode, newMode };
    start = end + 1;
  }
}
