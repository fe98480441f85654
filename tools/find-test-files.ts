import { globSync } from "node:fs";
import { sep } from "node:path";

/** Where tests are. */
export const testFiles = ["packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"];

export function findTestFiles(root: string): string[] {
  return globSync(testFiles, { cwd: root })
    .map((path) => path.replaceAll(sep, "/"))
    .sort();
}
