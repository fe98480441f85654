import { expect, test } from "vitest";
import { readPush } from "../../../src/features/git-hooks/read-push.ts";

test.each([
  ["levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["lists", `[${"[],".repeat(1_200_000)}0]`],
])("a push with too many %s to be read at once is none", (_, more) => {
  const read = (commits: string) =>
    readPush({ "x-github-event": "push" }, Buffer.from(`{"ref": "refs/heads/main", "commits": ${commits}}`));
  expect(read("[[[]]]")).toEqual({ branch: "main" });
  expect(read(more)).toBeUndefined();
});
