import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import { isWrittenIn, listFiles } from "../tests/test-files.ts";
import type { LineVerdict, Verdict } from "../verdict.ts";
import { checkPython } from "./check-python.ts";
import { checkTypescript } from "./check-typescript.ts";
import { openWorkplace } from "./run-checker.ts";

/** What became of a language's types. */
export interface TypesVerdict {
  readonly verdict: Verdict;
  readonly reason: string;
}

const pointer = "/guardrails/type_check";
/** Two may be wrong in different ways: the worse counts. */
const worstFirst: readonly Verdict[] = ["failed", "not_checked", "waived", "passed"];

/** Judges `type_check` in the built project, by the compiler that its build has installed or this machine has. */
export async function checkTypes(
  sandbox: Pick<Sandbox, "runCommand">,
  toCheck: ScriptToRun,
  machinePath?: string,
): Promise<{ readonly verdicts: readonly LineVerdict[]; readonly log: string }> {
  const { document, folder, signal } = toCheck;
  if (!document.guardrails.type_check) return { verdicts: [], log: "" };
  const beganAtMs = performance.now();
  const { all } = await listFiles(document, folder, signal);
  const place = openWorkplace(sandbox, toCheck);
  try {
    const typed = all.filter((path) => /\.[cm]?tsx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path));
    const python = all.filter((path) => isWrittenIn(path, "python"));
    const found: TypesVerdict[] = [];
    if (typed.length > 0 || all.includes("tsconfig.json")) found.push(await checkTypescript(place, typed, machinePath));
    if (python.length > 0) found.push(await checkPython(place, python));
    const [worst = noTypes] = found.sort((a, b) => worstFirst.indexOf(a.verdict) - worstFirst.indexOf(b.verdict));
    const durationMs = Math.round(performance.now() - beganAtMs);
    const reason = place.masker.mask(worst.reason);
    return {
      verdicts: [{ pointer, ...worst, reason, durationMs, evidence: ["logs/validation.log"] }],
      log: place.log(),
    };
  } finally {
    place.close();
  }
}

const noTypes: TypesVerdict = {
  verdict: "not_checked",
  reason:
    "The project has no TypeScript and no Python, and the service knows no other compiler. Let scripts.build run it, or let a plugin's check or a reviewer answer.",
};
