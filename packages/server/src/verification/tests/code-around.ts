import type { Workplace } from "./execute.ts";
import type { RunnerName } from "./test-case.ts";
import { maxPaddedBytes, readText } from "./test-files.ts";

interface Around {
  /** Where such code is set up. */
  readonly isIn: RegExp;
  readonly pattern: RegExp;
}

const settings = /(?:^|\/)(?:package\.json|[^/]*\.(?:config|workspace|preset)\.(?:[cm]?[jt]sx?|json))$/;
const globally = { isIn: settings, pattern: /global-?(?:setup|teardown)/i };

/** How a project has code run around all of its tests; the others know of none. */
const byRunner: Partial<Readonly<Record<RunnerName, Around>>> = {
  "go test": { isIn: /_test\.go$/, pattern: /^func\s+TestMain\s*\(/m },
  pytest: { isIn: /(?:^|\/)conftest\.py$/, pattern: /\bdef\s+pytest_(?:sessionfinish|unconfigure|terminal_summary)\b/ },
  "node:test": globally,
  jest: globally,
  vitest: globally,
};

/**
 * Files by which code runs around all tests. It fails by the exit code of its runner alone, which tests of ours that must fail
 * have, too.
 */
export async function filesWithCodeAround(
  { toTest: { folder, signal }, files }: Pick<Workplace, "toTest" | "files">,
  { runner, words }: { readonly runner: RunnerName; readonly words: readonly string[] },
): Promise<readonly string[]> {
  const around = byRunner[runner];
  if (around === undefined) return [];
  const found: string[] = words.filter((word) => word.startsWith("-") && around.pattern.test(word));
  for (const path of files.all) {
    if (!around.isIn.test(path)) continue;
    if (around.pattern.test((await readText(folder, path, signal, maxPaddedBytes)) ?? "")) found.push(path);
  }
  return found;
}
