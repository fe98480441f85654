import { runIn } from "./check-built.ts";

/** Share of the lines of a Python package that the tests in a folder, which must pass, run, by the standard library's own tracer. */
export async function pythonCoverage(folder: string, packageName: string, tests: string): Promise<number> {
  const { stdout, stderr } = await runIn(folder, `python3 - ${packageName} ${tests}`, program);
  const share = /covered (\d+) of (\d+)/.exec(stdout);
  if (share === null) throw new Error(stdout + stderr);
  const coverage = Number(share[1]) / Number(share[2]);
  console.log(`coverage: ${coverage.toFixed(3)}`);
  return coverage;
}

const program = `
import pathlib, sys, trace, unittest
package, tests = sys.argv[1:3]
sys.path.insert(0, ".")
ignored = [str(pathlib.Path(unittest.__file__).parent.parent)]
tracer = trace.Trace(count=1, trace=0, ignoredirs=ignored)
def run():
    program = unittest.main(module=None, argv=["unittest", "discover", "-s", tests, "-t", "."], exit=False)
    if not program.result.wasSuccessful():
        sys.exit("the tests failed")
tracer.runfunc(run)
hit = {}
for (file, line), _ in tracer.results().counts.items():
    hit.setdefault(str(pathlib.Path(file).resolve()), set()).add(line)
covered = total = 0
for file in pathlib.Path(package).rglob("*.py"):
    lines = set(trace._find_executable_linenos(str(file)))
    covered += len(lines & hit.get(str(file.resolve()), set()))
    total += len(lines)
print("covered", covered, "of", total)
`;
