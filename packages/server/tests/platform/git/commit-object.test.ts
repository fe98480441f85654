import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { messageWith, parseCommit, signatureOf, writeCommit } from "../../../src/platform/git/commit-object.ts";
import { isNewEnough } from "../../../src/platform/git/require-git.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\n", "<>", "a\n\nSlipway-Task: x", "\ud800", "."),
);
const tree = fc.constant("1".repeat(40));
const parent = fc.constantFrom("a".repeat(40), "b".repeat(40));
const commits = fc
  .record({
    tree,
    parents: fc.uniqueArray(parent, { maxLength: 2 }),
    name: anyText,
    email: anyText,
    seconds: fc.integer({ min: 0, max: 4e9 }),
    text: anyText,
    task: anyText,
  })
  .map(({ tree, parents, name, email, seconds, text, task }) => ({
    tree,
    parents,
    signature: signatureOf({ name, email }, new Date(seconds * 1000)),
    message: messageWith(text, { "Slipway-Task": `task ${task}`, "Slipway-Project": "proj_1" }),
  }));

test("a commit of any names and texts is read as it was written", () => {
  fc.assert(
    fc.property(commits, (commit) => {
      expect(parseCommit(writeCommit(commit))).toEqual(commit);
    }),
  );
});

test("git finds nothing wrong with a commit of any names and texts, and its trailers where we put them", {
  tags: "long",
}, () => {
  fc.assert(
    fc.property(commits, (commit) => {
      // Checks the form, and is deaf to whether tree and parents exist.
      run(["hash-object", "-t", "commit", "--stdin"], writeCommit(commit));
      const trailers = run(["interpret-trailers", "--parse"], Buffer.from(commit.message)).split("\n");
      expect(trailers).toHaveLength(3);
      expect(trailers[0]).toMatch(/^Slipway-Task: task/);
      expect(trailers[1]).toBe("Slipway-Project: proj_1");
    }),
    { numRuns: 40 },
  );
});

test.for([
  ["git version 2.39.5", true],
  ["git version 2.38.0", true],
  ["git version 3.0", true],
  ["git version 2.37.9 (Apple Git-136)", false],
  ["git version 1.99.0", false],
  ["something else", false],
] as const)("'%s' is new enough: %s", ([version, expected]) => {
  expect(isNewEnough(version)).toBe(expected);
});

function run(args: string[], input: Buffer): string {
  return execFileSync("git", args, { input, encoding: "utf8" });
}
