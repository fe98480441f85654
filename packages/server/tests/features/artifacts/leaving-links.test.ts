import { expect, test } from "vitest";
import { leadsOut } from "../../../src/features/artifacts/source-code.ts";

test.each([
  ["link", "../outside"],
  ["a/link", "../../outside"],
  ["a/b/link", "../../../outside"],
  ["link", "/etc/passwd"],
  ["link", "a/../../outside"],
  ["link", ".."],
  ["link", "..\\outside"],
  ["link", "C:/outside"],
  ["link", "a\0b"],
  // The name may be a link itself: 'd/up' to '..' leads this one beside the tree.
  ["d/link", "up/.."],
  ["a/b/link", "up/../.././x"],
])("a link %s → %j leads out of the tree, and is left out of a zip", (path, target) => {
  expect(leadsOut(path, target)).toBe(true);
});

test.each([
  ["link", "inside"],
  ["a/link", "../inside"],
  ["a/b/link", "../../inside"],
  ["link", "."],
  ["link", "..inside"],
  ["a/link", ".."],
  ["a/link", "./../b/./c"],
])("a link %s → %j stays in the tree", (path, target) => {
  expect(leadsOut(path, target)).toBe(false);
});
