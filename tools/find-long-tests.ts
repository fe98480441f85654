import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findTestFiles } from "./find-test-files.ts";

const tags = /"long"|@module-tag/;

/**
 * Finds the test files that have something for `npm run test:long`. Vitest would load the others as well, skip all of their
 * tests, and with them the hooks that end what a file has started.
 */
export function findLongTests(root: string): string[] {
  return findTestFiles(root).filter((path) => tags.test(readFileSync(join(root, path), "utf8")));
}

/**
 * Finds the test files of which `npm test` tries nothing (`// @module-tag long`). Vitest would load them, and with them start
 * what their tests share, which nothing would end.
 */
export function findOnlyLongTests(root: string): string[] {
  return findTestFiles(root).filter((path) => /^\/\/ @module-tag long$/m.test(readFileSync(join(root, path), "utf8")));
}
