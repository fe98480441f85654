import { randomBytes } from "node:crypto";
import { describeStatusMatch, type HttpEndpointCheck, matchesStatus, type ServiceHealthCheck } from "@slipway/spec";
import { sentence } from "../../platform/sentence.ts";
import type { LineVerdict } from "../verdict.ts";
import { answerProblems } from "./answer-problems.ts";
import type { Exchange } from "./exchange.ts";
import type { Probe } from "./probe.ts";
import { withToken } from "./token-header.ts";

interface Line<C> {
  readonly pointer: string;
  readonly check: C;
}

/** Sends each line's request and compares the answer. */
export async function checkEndpoints(
  probe: Probe,
  lines: readonly Line<HttpEndpointCheck>[],
): Promise<readonly LineVerdict[]> {
  const verdicts = new Map<string, LineVerdict>();
  for (const line of lines) verdicts.set(line.pointer, await checkEndpoint(probe, line));
  // Reads are asked once more, in another order and after all else: an answer that was made for a place in a row of
  // requests does not come again.
  for (const line of lines.filter(isRepeatable).toReversed()) {
    if (verdicts.get(line.pointer)!.verdict !== "passed") continue;
    const again = await checkEndpoint(probe, line);
    if (again.verdict === "failed") {
      const reason = `The first time it was answered as written; later, the same request was not: ${again.reason}`;
      verdicts.set(line.pointer, { ...again, reason });
    }
  }
  return [...verdicts.values()];
}

function isRepeatable({ check: { method, status } }: Line<HttpEndpointCheck>): boolean {
  // What an id names may be gone by then.
  return (method === "GET" || method === "HEAD") && "exactly" in status && status.exactly !== 404;
}

async function checkEndpoint(probe: Probe, { pointer, check }: Line<HttpEndpointCheck>): Promise<LineVerdict> {
  const { method, path, headers, isAuthRequired, timeoutSeconds } = check;
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const body = "body" in check ? { body: check.body } : takesBody ? { body: {} } : {};
  const request = { method, path, headers, ...body, timeoutMs: timeoutSeconds * 1000 };
  const startedAt = performance.now();
  const refused = isAuthRequired && (await whyNotRefused(probe, pointer, request));
  const own = Object.keys(headers).some((name) => name.toLowerCase() === probe.tokenHeader);
  const token = isAuthRequired && !own && withToken(probe.tokenHeader, probe.software.token);
  const done = await probe.send(pointer, { ...request, headers: { ...headers, ...token } });
  const problems = [...(refused ? [refused] : []), ...(await problemsOf(probe, done, check))];
  const durationMs = Math.round(performance.now() - startedAt);
  const shown = `${method} ${path}`;
  if (problems.length > 0)
    return { pointer, verdict: "failed", reason: sentence(`${shown}: ${problems.join("; ")}`), durationMs };
  if (method === "HEAD" && check.responseContains.length > 0) {
    const reason = `${shown} answered ${done.answer?.status}; an answer to HEAD has no text that could contain anything.`;
    return { pointer, verdict: "not_checked", reason, durationMs };
  }
  const both = isAuthRequired ? ", and 401 without a token" : "";
  const reason = `${shown} answered ${done.answer?.status}${both} in ${done.durationMs} ms.`;
  return { pointer, verdict: "passed", reason, durationMs };
}

/** Why the request is not refused without a token, or with a wrong one; undefined if it is. */
async function whyNotRefused(
  probe: Probe,
  pointer: string,
  { headers, ...request }: Parameters<Probe["send"]>[1],
): Promise<string | undefined> {
  const open = Object.entries(headers).filter(([name]) => name.toLowerCase() !== probe.tokenHeader);
  const { answer, failure } = await probe.send(pointer, { ...request, headers: Object.fromEntries(open) });
  if (answer === undefined) return `without a token there is ${failure}`;
  if (answer.status !== 401) return `without a token it answered ${answer.status}, expected 401`;
  const guess = withToken(probe.tokenHeader, randomBytes(24).toString("base64url"));
  const wrong = { ...Object.fromEntries(open), ...guess };
  const guessed = await probe.send(pointer, { ...request, headers: wrong });
  // A program that fails, or ends, has refused nothing.
  if (guessed.answer === undefined) return `with a wrong token there is ${guessed.failure}`;
  if (guessed.answer.status >= 400 && guessed.answer.status < 500) return undefined;
  return `with a wrong token it answered ${guessed.answer.status}, expected 401 or 403`;
}

async function problemsOf(probe: Probe, { answer, failure }: Exchange, check: HttpEndpointCheck) {
  if (answer === undefined) return [failure ?? "no answer"];
  const { status, responseContains, method } = check;
  const contains = method === "HEAD" ? [] : responseContains;
  const schema = "responseSchema" in check && { schema: check.responseSchema };
  return answerProblems(answer, { status, contains, ...schema }, probe);
}

/** Asks whether the software, or one of its services, is healthy. */
export async function checkHealth(probe: Probe, { pointer, check }: Line<ServiceHealthCheck>): Promise<LineVerdict> {
  const { service, endpoint, status } = check;
  const shown = `${service === undefined ? "" : `The service '${service}': `}GET ${endpoint}`;
  const { answer, failure, durationMs } = await probe.send(pointer, { method: "GET", path: endpoint, headers: {} });
  if (answer !== undefined && matchesStatus(status, answer.status))
    return { pointer, verdict: "passed", reason: `${shown} answered ${answer.status}.`, durationMs };
  const what = answer === undefined ? failure : `it answered ${answer.status}, expected ${describeStatusMatch(status)}`;
  return { pointer, verdict: "failed", reason: sentence(`${shown}: ${what}`), durationMs };
}
