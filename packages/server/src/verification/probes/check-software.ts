import type { AcceptanceCheck, AcceptanceLine, CompleteSpec } from "@slipway/spec";
import type { OutputLog } from "../../platform/log/index.ts";
import { documentLimits, limitMessage, type Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { lookedFor } from "../scripts/find-scripts.ts";
import { whyNotOwn } from "../scripts/own-file.ts";
import type { EvidenceFile, LineVerdict } from "../verdict.ts";
import { checkEndpoints, checkHealth } from "./check-endpoints.ts";
import { checkIntegration } from "./check-integration.ts";
import { judgePerformance, measurePerformance, needsLoad, performanceReport } from "./check-performance.ts";
import { exchangesFile } from "./exchanges-file.ts";
import { Probe } from "./probe.ts";
import { type Software, startSoftware } from "./start-software.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  /** The built project. */
  readonly folder: string;
  readonly scripts: { readonly start?: string; readonly health_check?: string };
  readonly lines: readonly AcceptanceLine[];
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
  readonly openLog: (source: string) => OutputLog;
}

interface CheckedSoftware {
  readonly verdicts: readonly LineVerdict[];
  readonly evidence: readonly EvidenceFile[];
  readonly log: string;
}

const nothing: CheckedSoftware = { verdicts: [], evidence: [], log: "" };
const healthCheckPointer = "/scripts/health_check";
const performanceTestsPointer = "/guardrails/performance_tests";

/** Starts the software and makes every check that needs it running. */
export async function checkSoftware(
  sandbox: Pick<Sandbox, "startCommand" | "runCommand">,
  toCheck: ToCheck,
): Promise<CheckedSoftware> {
  const { document, lines, scripts, folder, signal } = toCheck;
  const needing = pointersNeeding(toCheck);
  if (needing.length === 0) return nothing;
  const command = scripts.start;
  if (command === undefined) {
    const reason = `There is nothing to start: the document has no scripts.start, and none was found in ${lookedFor}.`;
    return unchecked(needing, lines, reason);
  }
  const notOwn = await whyNotOwn({ name: "start", command }, folder, signal);
  if (notOwn !== undefined) return unchecked(needing, lines, notOwn);
  const software = await startSoftware(sandbox, { ...toCheck, command });
  if ("failure" in software) {
    const masked = new Masker(Object.values(toCheck.secrets)).mask(software.failure);
    return { ...unchecked(needing, lines, masked), log: `$ ${command}\n${masked}\n` };
  }
  return probeAll(sandbox, toCheck, software, needsLoad(document, lines));
}

/** The lines that cannot be checked without the running software. */
function pointersNeeding({ document, lines, scripts }: ToCheck): readonly string[] {
  const kinds: readonly AcceptanceCheck["kind"][] = ["http_endpoint", "service_health", "integration_test"];
  const requests = lines.filter(({ check }) => kinds.includes(check.kind)).map(({ pointer }) => pointer);
  const measured = lines.filter(({ check }) => check.kind === "performance" && check.command === undefined);
  const asked = lines.filter(isAboutReadiness).map(({ pointer }) => pointer);
  const byScript = document.scripts?.health_check !== undefined || scripts.health_check !== undefined;
  const load = document.guardrails.performance_tests ? [performanceTestsPointer] : [];
  return [
    ...requests,
    ...asked,
    ...(byScript ? [healthCheckPointer] : []),
    ...measured.map(({ pointer }) => pointer),
    ...load,
  ];
}

/** What must answer, and does not run, has failed; what was only to be measured is not checked. */
function unchecked(pointers: readonly string[], lines: readonly AcceptanceLine[], reason: string): CheckedSoftware {
  const isMeasured = (pointer: string) =>
    lines.some((line) => line.pointer === pointer && line.check.kind === "performance");
  const verdicts = pointers.map((pointer) => {
    const verdict = isMeasured(pointer) ? ("not_checked" as const) : ("failed" as const);
    return { pointer, verdict, reason };
  });
  return { ...nothing, verdicts };
}

async function probeAll(
  sandbox: Pick<Sandbox, "runCommand">,
  toCheck: ToCheck,
  software: Software,
  isLoaded: boolean,
): Promise<CheckedSoftware> {
  const { document, lines, signal, secrets } = toCheck;
  const masker = new Masker([...Object.values(secrets), software.token]);
  const probe = new Probe(software, document, signal);
  const of = <K extends AcceptanceCheck["kind"]>(kind: K) =>
    lines.flatMap(({ pointer, check }) =>
      check.kind === kind ? [{ pointer, check: check as Extract<AcceptanceCheck, { kind: K }> }] : [],
    );
  let peakMemoryBytes = 0;
  try {
    const verdicts = [
      ...(await checkHealth(probe, of("service_health"))),
      ...(await checkEndpoints(probe, of("http_endpoint"))),
      ...(await checkIntegration(probe, of("integration_test"))),
      ...(await checkHealthScript(sandbox, toCheck, software)),
      ...readyVerdict(toCheck, software),
    ];
    const load = isLoaded ? await measurePerformance(software, lines, signal) : undefined;
    ({ peakMemoryBytes } = await software.stop());
    const measured = load && { ...load, peakMemoryBytes };
    const ofLoad = measured === undefined ? [] : judgePerformance(lines, measured);
    const evidence = [...exchangesFile(probe.kept, lines, masker), ...(measured ? [performanceReport(measured)] : [])];
    const masked = [...verdicts, ...ofLoad, ...measuredVerdict(document, measured)].map((verdict) => ({
      evidence: evidence.slice(0, 1).map(({ path }) => path),
      ...verdict,
      reason: masker.mask(verdict.reason),
    }));
    return { verdicts: masked, evidence, log: logOf(masked) };
  } finally {
    await software.stop();
  }
}

function readyVerdict({ lines }: ToCheck, { readyMs }: Software): readonly LineVerdict[] {
  const reason = `It was ready after ${readyMs} ms.`;
  return lines
    .filter(isAboutReadiness)
    .map(({ pointer }) => ({ pointer, verdict: "passed", reason, durationMs: readyMs }));
}

function isAboutReadiness({ check }: AcceptanceLine): boolean {
  return check.kind === "named" && check.name === "health_check_timeout_seconds";
}

function measuredVerdict({ guardrails }: CompleteSpec, measured: object | undefined): readonly LineVerdict[] {
  if (!guardrails.performance_tests || measured === undefined) return [];
  return [{ pointer: performanceTestsPointer, verdict: "passed", reason: "It was measured under load." }];
}

/** `scripts.health_check` finds the software by `PORT`, `HOST` and `URL`. */
async function checkHealthScript(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, signal, scripts, secrets, openLog }: ToCheck,
  { url }: Software,
): Promise<readonly LineVerdict[]> {
  const command = scripts.health_check;
  if (command === undefined) return [];
  const pointer = healthCheckPointer;
  const log = openLog("health_check");
  log.write(`$ ${command}\n`);
  const { port, hostname } = new URL(url);
  const env = { ...secrets, PORT: port, HOST: hostname, URL: url };
  const limits = { ...documentLimits(document), limitMs: 60_000, signal };
  const masker = new Masker(Object.values(secrets));
  const toRun = { command, folder, env, masker, onOutput: log.write, network: "all" } as const;
  const end = await sandbox.runCommand(toRun, limits).finally(() => log.end());
  signal.throwIfAborted();
  const durationMs = Math.round(end.wallMs);
  if (end.exitCode === 0) return [{ pointer, verdict: "passed", reason: "It ended with exit code 0.", durationMs }];
  const last = end.output.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const why =
    limitMessage("scripts.health_check", end.outcome) ?? `scripts.health_check ended with exit code ${end.exitCode}.`;
  return [{ pointer, verdict: "failed", reason: last === "" ? why : `${why} Last output: ${last}`, durationMs }];
}

function logOf(verdicts: readonly LineVerdict[]): string {
  return verdicts.map(({ verdict, reason }) => `${verdict === "failed" ? "NOT MET" : "met"}: ${reason}\n`).join("");
}
