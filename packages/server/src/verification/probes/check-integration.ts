import type { Actor, IntegrationStep, IntegrationTestCheck } from "@slipway/spec";
import { parseJson } from "../../platform/bounded-json.ts";
import { sentence } from "../../platform/sentence.ts";
import type { LineVerdict } from "../verdict.ts";
import { answerProblems } from "./answer-problems.ts";
import { CarriedValues } from "./carried-values.ts";
import type { ProbeAnswer } from "./exchange.ts";
import { fillKept, fillTexts, TooLarge, unknownIds } from "./fill-kept.ts";
import { notJson, valueAt } from "./json-pointer.ts";
import type { Probe } from "./probe.ts";
import { Session } from "./session.ts";

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

/** One way through the steps of a test. */
interface Walk {
  readonly probe: Probe;
  readonly pointer: string;
  readonly carried: CarriedValues;
  /** Of steps that name no actor. */
  readonly session: Session;
  readonly actors: Readonly<Record<string, Actor>>;
  /** Of the actors who are logged in. */
  readonly sessions: Map<string, Session>;
}

async function goThrough(probe: Probe, { pointer, check }: Line): Promise<LineVerdict> {
  const startedAt = performance.now();
  const session = new Session({ token: probe.software.token, tokenHeader: probe.tokenHeader });
  const { actors = {} } = check;
  const walk: Walk = { probe, pointer, carried: new CarriedValues(), session, actors, sessions: new Map() };
  const durationMs = () => Math.round(performance.now() - startedAt);
  for (const [index, step] of check.steps.entries()) {
    const problem = await takeStep(walk, step);
    if (problem === undefined) continue;
    const reason = sentence(`Step ${index + 1}, ${step.method} ${step.path}: ${problem}`);
    return { pointer, verdict: "failed", reason, durationMs: durationMs() };
  }
  const count = check.steps.length === 1 ? "The step was" : `All ${check.steps.length} steps were`;
  return { pointer, verdict: "passed", reason: `${count} answered as written.`, durationMs: durationMs() };
}

/** Why the step is not as written; undefined if it is. */
async function takeStep(walk: Walk, step: IntegrationStep): Promise<string | undefined> {
  if (step.as !== undefined) {
    const session = await sessionOf(walk, step.as);
    if (typeof session === "string") return session;
    const sent = await sendStep(walk, step, session.headers(fillTexts(step.headers ?? {}, walk.carried)));
    if (typeof sent === "string") return sent;
    session.takeCookies(sent.answer);
    walk.carried.take(step.path, sent.answer);
    return sent.problem;
  }
  const { status, headers = {} } = step;
  // A step that expects to be refused is sent without the token that we gave the software.
  const isRefused = "exactly" in status && status.exactly === 401;
  const own = fillTexts(headers, walk.carried);
  const sent = await sendStep(walk, step, isRefused && !walk.session.isLoggedIn ? own : walk.session.headers(own));
  if (typeof sent === "string") return sent;
  walk.session.takeCookies(sent.answer);
  walk.session.takeToken(sent.answer);
  walk.carried.take(step.path, sent.answer);
  return sent.problem;
}

/** The session of an actor, who logs in at their first step; or why they cannot. `{id}` stays what a step returned. */
async function sessionOf(walk: Walk, name: string): Promise<Session | string> {
  const known = walk.sessions.get(name);
  if (known !== undefined) return known;
  const actor = walk.actors[name];
  if (actor === undefined) return `there is no actor '${name}'`;
  const { login, token, headers } = actor;
  const session = new Session({ headers, tokenHeader: walk.probe.tokenHeader });
  walk.sessions.set(name, session);
  if (login === undefined) return session;
  const why = (problem: string) => `'${name}' cannot log in: ${login.method} ${login.path}: ${problem}`;
  const sent = await sendStep(walk, login, session.headers(fillTexts(login.headers ?? {}, walk.carried)));
  if (typeof sent === "string" || sent.problem !== undefined)
    return why(typeof sent === "string" ? sent : sent.problem!);
  session.takeCookies(sent.answer);
  if (token === undefined) {
    session.takeToken(sent.answer);
    return session;
  }
  const found = valueAt(parseJson(sent.answer.text)?.value, token)?.value;
  if (typeof found !== "string" || found === "") return why(`the answer has no text at '${token}'`);
  session.useToken(found);
  return session;
}

/** Sends a step and keeps what it says of its answer; or says why there is no answer. */
async function sendStep(
  { probe, pointer, carried }: Walk,
  step: IntegrationStep,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly answer: ProbeAnswer; readonly problem?: string } | string> {
  const { method, parameters } = step;
  const missing = [
    ...parameters.filter((name) => carried.find(name) === undefined),
    ...unknownIds([step.body, step.query], carried),
  ];
  if (missing.length > 0) return `no earlier step returned '${[...new Set(missing)].join("', '")}'`;
  try {
    const body = bodyOf(step, carried);
    const { answer, failure } = await probe.send(pointer, { method, path: targetOf(step, carried), headers, ...body });
    if (answer === undefined) return failure ?? "no answer";
    const json = step.json?.map(([at, value]) => [at, fillKept(value, carried)] as const);
    const problems = await answerProblems(answer, { ...step, ...(json && { json }) }, probe);
    const problem = problems.length > 0 ? problems.join("; ") : keepOf(step, answer, carried);
    return { answer, ...(problem !== undefined && { problem }) };
  } catch (error) {
    if (error instanceof TooLarge) return "with what was kept, the request would be larger than 1 MiB";
    throw error;
  }
}

function bodyOf(step: IntegrationStep, carried: CarriedValues): { body?: unknown } {
  if ("body" in step) return { body: fillKept(step.body, carried) };
  return ["POST", "PUT", "PATCH"].includes(step.method) ? { body: {} } : {};
}

function targetOf({ path, query }: IntegrationStep, carried: CarriedValues): string {
  const filled = path.replace(/\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g, (_, braced?: string, colon?: string) =>
    encodeURIComponent(carried.find(braced ?? colon ?? "") ?? ""),
  );
  if (query.length === 0) return filled;
  const values = query.map(([name, value]) => [name, fillTexts({ value }, carried)["value"]!]);
  return `${filled}?${new URLSearchParams(values)}`;
}

/** Keeps what the step says; or says what the answer lacks. */
function keepOf({ keep = [] }: IntegrationStep, { text }: ProbeAnswer, carried: CarriedValues): string | undefined {
  if (keep.length === 0) return undefined;
  const body = parseJson(text);
  if (body === undefined) return `${notJson(text)}, so nothing of it can be kept`;
  for (const [name, pointer] of keep) {
    const found = valueAt(body.value, pointer);
    if (found === undefined) return `the answer has nothing at '${pointer}' to keep as '${name}'`;
    const problem = carried.keep(name, found.value);
    if (problem !== undefined) return `what is at '${pointer}' cannot be kept as '${name}': ${problem}`;
  }
  return undefined;
}
