import type { TypesVerdict } from "./check-types.ts";
import { judgeByChecker, token, type Workplace, whySwitchedOff } from "./run-checker.ts";

/** Isolated (`-I`): the project's folder may bring no other `mypy`. Its configuration does not count. */
const command = [
  ...["python3", "-I", "-m", "mypy", "--config-file=", "--cache-dir=/dev/null", "--no-incremental"],
  ...["--no-color-output", "--hide-error-context", "--no-error-summary", "--ignore-missing-imports"],
  ...["--namespace-packages", "--explicit-package-bases"],
  ...["--exclude", "'(^|/)(node_modules|venv|build|dist)/'", "."],
].join(" ");

/** Not over empty lines at its start: from each of many, it would read all that follow. */
export const switchOff: RegExp = /^[^\S\r\n\u2028\u2029]*#\s*(?:mypy:.*ignore[-_]errors|type:\s*ignore\b)/m;

/** Checks the types of Python by mypy, where this machine has it. */
export async function checkPython(place: Workplace, sources: readonly string[]): Promise<TypesVerdict> {
  const switchedOff = await whySwitchedOff(place, sources, switchOff);
  if (switchedOff !== undefined) return { verdict: "failed", reason: switchedOff };
  const name = token();
  const [beside = ""] = sources;
  const path = `${beside.slice(0, beside.lastIndexOf("/") + 1)}${name}.py`;
  let isMissing = false;
  const verdict = await judgeByChecker(
    place,
    "mypy",
    { path, text: `${name}: int = "as it must not be"\n` },
    async () => {
      const end = await place.run(command);
      isMissing = /No module named '?mypy|python3: not found/.test(end.output);
      const errors = end.output.split("\n").flatMap((line) => {
        const file = /^(?:\.\/)?(.+?):\d+(?::\d+)?: error: /.exec(line)?.[1];
        return file === undefined ? [] : [{ path: file, line }];
      });
      return { errors, end, isCut: end.isCut };
    },
  );
  if (!isMissing) return verdict;
  const reason = "mypy is not installed on this machine (apt: mypy). Let scripts.build run a checker of types.";
  return { verdict: "not_checked", reason };
}
