/** One path that differs between two trees. */
export interface RawChange {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
}

export const modes = { none: "000000", link: "120000", executable: "100755", repository: "160000" } as const;

/** Parses the output of `git diff-tree --raw -z` and `git diff-index --raw -z`, without renames: two fields per path. */
export function parseRawDiff(output: Buffer): RawChange[] {
  const fields = output.toString("utf8").split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = ""] = fields[at]!.slice(1).split(" ");
    changes.push({ path: fields[at + 1]!, oldMode, newMode });
  }
  return changes;
}
