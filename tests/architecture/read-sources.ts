import { globSync, readFileSync } from "node:fs";
import { sep } from "node:path";

/** The files that the rules look at, by their path from the root of the repository. */
export function readSources(root: string): Record<string, string> {
  const patterns = ["packages/*/package.json", "packages/*/src/**/*.{ts,tsx}"];
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll(sep, "/"));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(`${root}/${path}`, "utf8")]));
}
