import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { CompleteSpec } from "@slipway/spec";
import { hasPythonModule, isOnPath, systemPath } from "../../platform/process/index.ts";

/** The first that knows `erasableSyntaxOnly`, which projects without a build of their own set. */
const [oldestMajor, oldestMinor] = [5, 8];
const maxMs = 30_000;
const run = promisify(execFile);

/** This machine's compiler of TypeScript; else what is missing. */
export type MachineCompiler = { readonly program: string } | { readonly missing: string };

export async function findMachineCompiler(path = systemPath): Promise<MachineCompiler> {
  for (const folder of path.split(delimiter)) {
    if (!(await isOnPath("tsc", folder))) continue;
    const program = join(folder, "tsc");
    const version = await versionOf(program);
    if (version !== undefined && isNewEnough(version)) return { program };
    const found = version === undefined ? "does not tell its version" : `is version ${version}`;
    return { missing: `${program} ${found}, and ${oldestMajor}.${oldestMinor} is needed` };
  }
  return { missing: "this machine has no tsc (npm install --global typescript)" };
}

async function versionOf(program: string): Promise<string | undefined> {
  const answer = await run(process.execPath, [program, "--version"], { timeout: maxMs }).catch(() => undefined);
  return /^Version (\d+\.\d+)/.exec(answer?.stdout ?? "")?.[1];
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * Whether the service will have a checker for the types of a document, known before anything is built. What the built-in
 * agent builds brings no compiler of its own; what another agent builds may.
 */
export async function canCheckTypes(
  { guardrails, stack: { language } }: CompleteSpec,
  { isBuiltByRule, path = systemPath }: { readonly isBuiltByRule: boolean; readonly path?: string },
): Promise<boolean> {
  const name = typeof language === "string" ? language.trim() : "";
  if (!guardrails.type_check) return false;
  if (/^python[\d.]*$/i.test(name)) return hasPythonModule("mypy", path);
  if (!/^(?:typescript|ts)$/i.test(name)) return false;
  return !isBuiltByRule || "program" in (await findMachineCompiler(path));
}
