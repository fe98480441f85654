import type { AcceptanceCheck, AcceptanceLine, ServiceHealthCheck } from "@slipway/spec";
import { causeLine } from "../../platform/cause-line.ts";
import { documentLimits, limitMessage, type Sandbox, timeMessage } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { checkFlows, isFollowable } from "../browser/index.ts";
import { maskReasons } from "../mask-reasons.ts";
import { lookedFor } from "../scripts/find-scripts.ts";
import { migrateForVerification } from "../scripts/migrate.ts";
import { whyNotOwn } from "../scripts/own-file.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import type { EvidenceBytes, EvidenceFile, LineVerdict } from "../verdict.ts";
import { checkEndpoints, checkHealth } from "./check-endpoints.ts";
import { checkFirstLoad, isAboutFirstLoad } from "./check-first-load.ts";
import { checkIntegration } from "./check-integration.ts";
import { checkLinks, isAboutLinks } from "./check-links.ts";
import {
  isMeasured,
  judgeMeasured,
  judgePerformance,
  measurePerformance,
  needsLoad,
  type Performance,
  performanceReport,
} from "./check-performance.ts";
import { checkServices, isAboutService } from "./check-services.ts";
import { exchangesFile } from "./exchanges-file.ts";
import { findServices, whyTooManyServices } from "./find-services.ts";
import { Probe } from "./probe.ts";
import { type Services, startServices } from "./start-services.ts";
import { type Software, startSoftware, userOf } from "./start-software.ts";
import { tellEnds, whyEnded } from "./tell-ends.ts";

/** The folder is that of the built project. */
interface ToCheck extends ScriptToRun {
  readonly scripts: { readonly build?: string; readonly start?: string; readonly health_check?: string };
  readonly lines: readonly AcceptanceLine[];
}

interface CheckedSoftware {
  readonly verdicts: readonly LineVerdict[];
  readonly evidence: readonly (EvidenceFile | EvidenceBytes)[];
  readonly log: string;
}

type SoftwareSandbox = Pick<Sandbox, "startCommand" | "runCommand" | "startProcess" | "found" | "temporary">;

const nothing: CheckedSoftware = { verdicts: [], evidence: [], log: "" };
const maxHealthCheckMs = 60_000;
const healthCheckPointer = "/scripts/health_check";
const performanceTestsPointer = "/guardrails/performance_tests";

/** Starts the software, and its services where they have programs of their own, and makes every check that needs them. */
export async function checkSoftware(sandbox: SoftwareSandbox, toCheck: ToCheck): Promise<CheckedSoftware> {
  const { document, lines, scripts, folder, signal } = toCheck;
  const needing = pointersNeeding(toCheck);
  const ofServices = lines.filter(isAboutService).map(({ pointer }) => pointer);
  if (needing.length + ofServices.length === 0) return nothing;
  const hasWhole = scripts.start !== undefined;
  // A result that starts as a whole needs its services apart only where they are asked for.
  const found = hasWhole && ofServices.length === 0 ? [] : await findServices(document, folder, signal);
  const tooMany = whyTooManyServices(found);
  if (tooMany !== undefined)
    return { verdicts: unchecked([...needing, ...ofServices], lines, tooMany), evidence: [], log: `${tooMany}\n` };
  const migration = await migrateForVerification(sandbox, { ...toCheck, account: userOf(folder) });
  if (migration !== undefined)
    return { verdicts: unchecked([...needing, ...ofServices], lines, migration), evidence: [], log: `${migration}\n` };
  const apart = { ...toCheck, hasWhole, isBuilt: scripts.build !== undefined };
  const services = found.length > 0 ? await startServices(sandbox, found, apart) : undefined;
  try {
    const isNeeded = needing.length > 0 || services === undefined;
    // Nobody depends on the last one.
    const main = isNeeded ? await startMain(sandbox, toCheck, services, found.at(-1)?.name) : undefined;
    const masker = new Masker([...Object.values(toCheck.secrets), services?.token ?? ""]);
    if (main !== undefined && !("failure" in main)) return await probeAll(sandbox, toCheck, services, main);
    const asked = services === undefined ? { verdicts: [], kept: [] } : await checkServices(services, toCheck);
    const failed = services === undefined ? [...needing, ...ofServices] : needing;
    const verdicts = [...asked.verdicts, ...(main === undefined ? [] : unchecked(failed, lines, main.failure))];
    const masked = await maskReasons(verdicts, masker);
    const log = await masker.maskInSlices(`${services?.log ?? ""}${main === undefined ? "" : `${main.failure}\n`}`);
    return { verdicts: masked, evidence: await exchangesFile(asked.kept, lines, masker), log };
  } finally {
    await services?.stop();
  }
}

/** Starts what `scripts.start` starts, else gives the service that stands for the whole; or says why there is neither. */
async function startMain(
  sandbox: Pick<Sandbox, "startCommand">,
  toCheck: ToCheck,
  services: Services | undefined,
  last: string | undefined,
): Promise<Software | { readonly failure: string }> {
  const command = toCheck.scripts.start;
  if (command === undefined) {
    const service = last === undefined ? undefined : services?.started.get(last);
    const failure = `There is nothing to start: the document has no scripts.start, and none was found in ${lookedFor}.`;
    return service ?? { failure };
  }
  const notOwn = await whyNotOwn({ name: "start", command }, toCheck.folder, toCheck.signal);
  if (notOwn !== undefined) return { failure: notOwn };
  const shared = services && { env: services.env, token: services.token };
  return startSoftware(sandbox, { ...toCheck, command, ...shared });
}

/** The lines that cannot be checked without the running software as a whole. */
function pointersNeeding({ document, lines, scripts }: ToCheck): readonly string[] {
  const kinds: readonly AcceptanceCheck["kind"][] = ["http_endpoint", "service_health", "integration_test"];
  const isRequest = (line: AcceptanceLine) => kinds.includes(line.check.kind) && !isAboutService(line);
  const requests = lines.filter(isRequest).map(({ pointer }) => pointer);
  const measured = lines.filter(({ check }) => check.kind === "performance" && check.command === undefined);
  const isAsked = (line: AcceptanceLine) =>
    isAboutReadiness(line) || isAboutFirstLoad(line) || isAboutLinks(line) || isFollowable(line);
  const asked = lines.filter(isAsked).map(({ pointer }) => pointer);
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
function unchecked(
  pointers: readonly string[],
  lines: readonly AcceptanceLine[],
  reason: string,
): readonly LineVerdict[] {
  const checkOf = new Map(lines.map(({ pointer, check }) => [pointer, check]));
  return pointers.map((pointer) => {
    const check = checkOf.get(pointer);
    if (check?.kind !== "performance") return { pointer, verdict: "failed", reason };
    const nobody = isMeasured(check) ? undefined : `Nobody here measures '${check.metric}'.`;
    return { pointer, verdict: "not_checked", reason: nobody ?? reason };
  });
}

async function probeAll(
  sandbox: SoftwareSandbox,
  toCheck: ToCheck,
  services: Services | undefined,
  software: Software,
): Promise<CheckedSoftware> {
  const { document, lines, signal, secrets } = toCheck;
  const masker = new Masker([...Object.values(secrets), software.token]);
  const probe = new Probe(software, document, { signal, masker });
  const of = <K extends AcceptanceCheck["kind"]>(kind: K) =>
    lines.flatMap(({ pointer, check }) =>
      check.kind === kind ? [{ pointer, check: check as Extract<AcceptanceCheck, { kind: K }> }] : [],
    );
  let peakMemoryBytes = 0;
  try {
    const programs = [software, ...(services?.started.values() ?? [])];
    // Whose answers a line is about: where a service ends, the whole may go on answering.
    const ofWhole = async (verdicts: readonly LineVerdict[], unanswered?: ReadonlySet<string>) =>
      tellEnds(verdicts, await whyEnded([software]), unanswered);
    const asked = await checkServices(services, toCheck);
    const verdicts = [
      ...asked.verdicts,
      ...(await ofWhole(await checkWhole(probe, of("service_health")), probe.unanswered)),
      ...(await ofWhole(await checkEndpoints(probe, of("http_endpoint")), probe.unanswered)),
      ...(await ofWhole(await checkFirstLoad(probe, lines), probe.unanswered)),
      ...(await ofWhole(await checkLinks(probe, lines), probe.unanswered)),
      ...(await ofWhole(await checkIntegration(probe, of("integration_test")), probe.unanswered)),
      ...(await ofWhole(await checkHealthScript(sandbox, toCheck, software))),
      ...readyVerdict(toCheck, software),
    ];
    const flows = await checkFlows(sandbox, flowsOf(toCheck, software, services));
    const ofFlows = tellEnds(flows.verdicts, await whyEnded(programs));
    const load = needsLoad(document, lines) ? await measurePerformance(software, lines, toCheck) : undefined;
    const why = await whyEnded(programs);
    const whyWhole = await whyEnded([software]);
    ({ peakMemoryBytes } = await software.stop());
    const measured = load && { ...load, peakMemoryBytes };
    const ofLoad = measured === undefined ? [] : judgePerformance(lines, measured);
    const underLoad = tellEnds([...ofLoad, ...measuredVerdict(toCheck, measured)], whyWhole);
    const exchanges = await exchangesFile([...asked.kept, ...probe.kept], lines, masker);
    const evidence = [...exchanges, ...(measured ? [performanceReport(measured)] : []), ...flows.evidence];
    const proof = { evidence: exchanges.map(({ path }) => path) };
    const proved = [...verdicts, ...ofFlows, ...underLoad].map((verdict) => ({ ...proof, ...verdict }));
    const masked = await maskReasons(proved, masker);
    const log = await masker.maskInSlices((services?.log ?? "") + (why === "" ? "" : `${why}\n`));
    return { verdicts: masked, evidence, log: log + logOf(masked) };
  } finally {
    await software.stop();
  }
}

/** What is needed to follow the flows: pages of the software may use its services, too. */
function flowsOf({ lines, secrets, signal }: ToCheck, { url, token }: Software, services: Services | undefined) {
  const started = [...(services?.started.values() ?? [])].flatMap((one) => ("url" in one ? [one.url] : []));
  const servicePorts = started.map((address) => Number(new URL(address).port));
  return { lines, url, servicePorts, secrets: [...Object.values(secrets), token], signal };
}

async function checkWhole(
  probe: Probe,
  lines: readonly { readonly pointer: string; readonly check: ServiceHealthCheck }[],
): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const line of lines) if (line.check.service === undefined) verdicts.push(await checkHealth(probe, line));
  return verdicts;
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

function measuredVerdict({ document, lines }: ToCheck, measured: Performance | undefined): readonly LineVerdict[] {
  if (!document.guardrails.performance_tests || measured === undefined) return [];
  return [judgeMeasured(performanceTestsPointer, lines, measured)];
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
  const limits = { ...documentLimits(document), limitMs: maxHealthCheckMs, signal };
  const masker = new Masker(Object.values(secrets));
  const shared = { masker, account: userOf(folder), onOutput: log.write, network: "all" } as const;
  const toRun = { command, folder, env, ...shared };
  const end = await sandbox.runCommand(toRun, limits).finally(() => log.end());
  signal.throwIfAborted();
  const durationMs = Math.round(end.wallMs);
  if (end.exitCode === 0) return [{ pointer, verdict: "passed", reason: "It ended with exit code 0.", durationMs }];
  const who = "scripts.health_check";
  const why = end.isTimedOut
    ? timeMessage(who, `${maxHealthCheckMs / 1000} seconds`)
    : (limitMessage(who, end.outcome) ?? `${who} ended with exit code ${end.exitCode}.`);
  return [{ pointer, verdict: "failed", reason: `${why} ${causeLine(end.output, 300)}`.trim(), durationMs }];
}

function logOf(verdicts: readonly LineVerdict[]): string {
  return verdicts.map(({ verdict, reason }) => `${verdict === "failed" ? "NOT MET" : "met"}: ${reason}\n`).join("");
}
