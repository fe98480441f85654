import { describeStatusMatch, type IntegrationStep, type IntegrationTestCheck, matchesStatus } from "@slipway/spec";
import type { LineVerdict } from "../verdict.ts";
import { CarriedValues } from "./carried-values.ts";
import type { Probe } from "./probe.ts";

interface Line {
  readonly pointer: string;
  readonly check: IntegrationTestCheck;
}

/** Goes through the steps of each integration test, one after the other, until one is not answered as written. */
export async function checkIntegration(probe: Probe, lines: readonly Line[]): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const line of lines) verdicts.push(await goThrough(probe, line));
  return verdicts;
}

async function goThrough(probe: Probe, { pointer, check }: Line): Promise<LineVerdict> {
  const startedAt = performance.now();
  const carried = new CarriedValues();
  const durationMs = () => Math.round(performance.now() - startedAt);
  for (const [index, step] of check.steps.entries()) {
    const problem = await takeStep(probe, pointer, step, carried);
    if (problem === undefined) continue;
    const reason = `Step ${index + 1}, ${step.method} ${step.path}: ${problem}.`;
    return { pointer, verdict: "failed", reason, durationMs: durationMs() };
  }
  const count = check.steps.length === 1 ? "The step was" : `All ${check.steps.length} steps were`;
  return { pointer, verdict: "passed", reason: `${count} answered as written.`, durationMs: durationMs() };
}

/** Why the step is not as written; undefined if it is. */
async function takeStep(
  probe: Probe,
  pointer: string,
  step: IntegrationStep,
  carried: CarriedValues,
): Promise<string | undefined> {
  const { method, parameters, query, status } = step;
  const missing = parameters.filter((name) => carried.find(name) === undefined);
  if (missing.length > 0) return `no earlier step returned '${missing.join("', '")}'`;
  const filled = step.path.replace(/\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g, (_, braced?: string, colon?: string) =>
    encodeURIComponent(carried.find(braced ?? colon ?? "") ?? ""),
  );
  const search = query.length === 0 ? "" : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`;
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const body = "body" in step ? { body: step.body } : takesBody ? { body: {} } : {};
  // A step that expects to be refused is sent without the token.
  const isRefused = "exactly" in status && status.exactly === 401;
  const headers = isRefused ? {} : carried.headers(probe.software.token);
  const { answer, failure } = await probe.send(pointer, { method, path: filled + search, headers, ...body });
  if (answer === undefined) return failure;
  carried.take(step.path, answer);
  if (matchesStatus(status, answer.status)) return undefined;
  const text = answer.text.replace(/\s+/g, " ").trim().slice(0, 160);
  return `it answered ${answer.status}, expected ${describeStatusMatch(status)}${text === "" ? "" : `, with: ${text}`}`;
}
