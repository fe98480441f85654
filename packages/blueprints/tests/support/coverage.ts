import { expect } from "vitest";
import { runIn } from "./run-project.ts";

/** Runs the tests of a Node project, which must pass; the coverage is the lesser of lines and functions, from 0 to 1. */
export async function testWithCoverage(
  folder: string,
): Promise<{ readonly coverage: number; readonly stdout: string }> {
  const { stdout, stderr, exitCode } = await runIn(
    folder,
    "node --test --test-isolation=none --experimental-test-coverage --test-reporter=tap",
  );
  expect(exitCode, stdout + stderr).toBe(0);
  const rows = stdout
    .split("\n")
    .map((line) =>
      line
        .replace(/^#\s*/, "")
        .split("|")
        .map((cell) => cell.trim()),
    )
    .filter(([name = "", ...cells]) => cells.length > 2 && /\.[cm]?js$/.test(name) && !/\.test\.[cm]?js$/.test(name));
  expect(rows.length).toBeGreaterThan(0);
  const mean = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0) / rows.length / 100;
  const coverage = Math.min(mean(1), mean(3));
  console.log(`coverage: ${coverage.toFixed(3)}`);
  return { coverage, stdout };
}

/** Runs the tests of a Python project, which must pass; the coverage is the share of lines, from 0 to 1, by Python's own tracer. */
export async function pythonCoverage(
  folder: string,
  packageName: string,
  testFolders: readonly string[],
): Promise<number> {
  const { stdout, stderr } = await runIn(folder, `python3 - ${packageName} ${testFolders.join(" ")}`, program);
  const share = /covered (\d+) of (\d+)/.exec(stdout);
  if (share === null) throw new Error(stdout + stderr);
  const coverage = Number(share[1]) / Number(share[2]);
  console.log(`coverage: ${coverage.toFixed(3)}`);
  return coverage;
}

const program = `
import pathlib, sys, trace, unittest
package, *folders = sys.argv[1:]
sys.path.insert(0, ".")
ignored = [str(pathlib.Path(unittest.__file__).parent.parent)]
tracer = trace.Trace(count=1, trace=0, ignoredirs=ignored)
def run():
    for folder in folders:
        # Folders that are no packages are found only as a root of their own.
        root = "." if pathlib.Path(folder, "__init__.py").exists() else folder
        argv = ["unittest", "discover", "-s", folder, "-t", root]
        if not unittest.main(module=None, argv=argv, exit=False).result.wasSuccessful():
            sys.exit("the tests failed")
# Threads are traced as well, unlike by runfunc.
tracer.runctx("run()", globals(), globals())
hit = {}
for (file, line), _ in tracer.results().counts.items():
    hit.setdefault(str(pathlib.Path(file).resolve()), set()).add(line)
covered = total = 0
for file in pathlib.Path(package).rglob("*.py"):
    # What runs only in processes that the tests start is not traced.
    if str(file.resolve()) not in hit:
        continue
    lines = set(trace._find_executable_linenos(str(file)))
    covered += len(lines & hit[str(file.resolve())])
    total += len(lines)
print("covered", covered, "of", total)
`;
