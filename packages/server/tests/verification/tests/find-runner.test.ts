import { expect, test } from "vitest";
import { whyNotStarted } from "../../../src/verification/tests/find-runner.ts";

test("a program that a shell does not find is not installed", () => {
  expect(whyNotStarted("node:test", 127, "node: not found")).toBe(
    "The program for node:test is not installed on this machine.",
  );
});

test("a folder that a build has closed is not laid to the machine", () => {
  expect(whyNotStarted("node:test", 126, "cd: can't cd to /project: Permission denied")).toBeUndefined();
});
