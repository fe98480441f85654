import { dirname, join, relative } from "node:path/posix";
import { FileRefusal, readProjectFile, resolveInside } from "../../platform/project-files/index.ts";
import { jestProgram } from "./runners/jest.ts";
import type { CoverageMeans } from "./runners/runner.ts";
import { vitestProgram } from "./runners/vitest.ts";
import type { RunnerName } from "./test-case.ts";

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Where the runner starts, from the project's folder on. */
  readonly startsIn: string;
}

/** Why a runner cannot be started at all, and what would help; undefined if it may be there. */
export async function whyNotInstalled(where: Where, runner: RunnerName): Promise<string | undefined> {
  if (runner !== "vitest" && runner !== "jest") return undefined;
  const program = runner === "vitest" ? vitestProgram : jestProgram;
  if ((await folderWith(where, program)) !== undefined) return undefined;
  return `${runner} is not installed: the result has no ${program}. Let scripts.build install the packages (npm ci).`;
}

/** The way to the packages that a runner is among: `../../` where a workspace shares those of the root. */
export async function findModules(where: Where, runner: RunnerName): Promise<string | undefined> {
  if (runner !== "vitest" && runner !== "jest") return undefined;
  const found = await folderWith(where, runner === "vitest" ? vitestProgram : jestProgram);
  return found === undefined || found === where.startsIn ? "" : `${relative(where.startsIn, found)}/`;
}

/** The nearest folder, from where a runner starts up to the project's own, that has a file of an installed package. */
async function folderWith(where: Where, path: string): Promise<string | undefined> {
  for (let at = where.startsIn; ; at = dirname(at)) {
    if (await isInstalled(where, join(at, path))) return at;
    if (at === ".") return undefined;
  }
}

/** The same, from how a run without a report ended. */
export function whyNotStarted(runner: RunnerName, exitCode: number | null, output: string): string | undefined {
  if (runner === "pytest" && output.includes("pytest is not installed"))
    return "pytest is not installed: neither in a .venv of the project nor on this machine (apt: python3-pytest).";
  const stopped = /The run was stopped before (?:\d{1,6} of )?its tests had ended\./.exec(output)?.[0];
  if (stopped !== undefined && (runner === "pytest" || runner === "unittest"))
    return `${stopped} Who stops it hides what comes after: remove the call, or the option.`;
  // 126: it is there, but the folder or the program cannot be used; the shell says which, and a build may be why.
  if (exitCode !== 127) return undefined;
  return `The program for ${runner} is not installed on this machine.`;
}

/** How coverage can be measured with a runner here; else what is missing. */
export async function findCoverageMeans(where: Where, runner: RunnerName): Promise<CoverageMeans> {
  switch (runner) {
    case "node:test":
      return { by: "node" };
    case "jest":
      return { by: "istanbul" };
    case "vitest":
      for (const provider of ["v8", "istanbul"])
        if ((await folderWith(where, `node_modules/@vitest/coverage-${provider}/package.json`)) !== undefined)
          return { by: provider };
      return { missing: "Vitest measures coverage with the package @vitest/coverage-v8, which is not installed." };
    case "pytest":
    case "unittest":
      return { by: "coverage.py" };
    case "go test":
      return { by: "go cover" };
    case "cargo test":
      return { missing: "Coverage of Rust is not measured: cargo test has no coverage of its own." };
  }
}

/** Why a run that should have measured coverage wrote none. */
export function whyNoCoverage(runner: RunnerName): string {
  return runner === "pytest" || runner === "unittest"
    ? "Coverage of Python needs coverage.py (pip: coverage, apt: python3-coverage), which is not installed."
    : `${runner} wrote no coverage.`;
}

/** Whether a file of an installed package is there. */
export async function isInstalled({ folder, signal }: Omit<Where, "startsIn">, path: string): Promise<boolean> {
  try {
    // Some package managers link packages inside of node_modules.
    const real = await resolveInside(folder, path, { signal });
    await readProjectFile(folder, real, { maxBytes: 1024 * 1024, signal });
    return true;
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return false;
    throw error;
  }
}
