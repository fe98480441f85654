import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import type { OutputLog } from "../../platform/log/index.ts";
import {
  documentLimits,
  limitMessage,
  type ProcessOutcome,
  type RunningCommand,
  type Sandbox,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { exchange } from "./exchange.ts";
import { type Readiness, readinessOf } from "./readiness.ts";

interface ToStart {
  readonly document: CompleteSpec;
  /** How it is started, as a person would type it. */
  readonly command: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
  readonly openLog: (source: string) => OutputLog;
}

/** The project's software, started to be probed. */
export interface Software {
  readonly url: string;
  /** The token that requests with `auth_required` are sent with; it was made for this start alone. */
  readonly token: string;
  readonly readyMs: number;
  /** Ends it with all processes it started. */
  stop(): Promise<{ readonly peakMemoryBytes: number }>;
}

const host = "127.0.0.1";
const defaultReadySeconds = 60;
const pollMs = 50;

/** Starts the software on a free port and waits until it is ready; or says why it is not. */
export async function startSoftware(
  sandbox: Pick<Sandbox, "startCommand">,
  { document, command, folder, signal, secrets, openLog }: ToStart,
): Promise<Software | { readonly failure: string }> {
  const port = await freePort();
  const url = `http://${host}:${port}`;
  const token = randomBytes(24).toString("base64url");
  const log = openLog("app");
  log.write(`$ ${command}\n`);
  const own: Record<string, string> = { [tokenVariable(document)]: token, ...secrets };
  const env = { ...own, PORT: String(port), HOST: host };
  const masker = new Masker([...Object.values(secrets), token]);
  const limits = documentLimits(document);
  const running = sandbox.startCommand({ command, folder, env, masker, onOutput: log.write }, limits);
  const stop = async () => {
    running.kill();
    await running.ended;
    log.end();
    return { peakMemoryBytes: running.peakMemoryBytes };
  };
  const startedAt = performance.now();
  try {
    const failure = await untilReady(running, { url, readiness: readinessOf(document), signal, document });
    if (failure === undefined) {
      const readyMs = Math.round(performance.now() - startedAt);
      return { url, token: own[tokenVariable(document)] ?? token, readyMs, stop };
    }
    await stop();
    return { failure };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Why it is not ready; undefined when it is. */
async function untilReady(
  running: RunningCommand,
  {
    url,
    readiness,
    signal,
    document,
  }: { url: string; readiness: Readiness; signal: AbortSignal; document: CompleteSpec },
): Promise<string | undefined> {
  let outcome: ProcessOutcome | undefined;
  void running.ended.then((end) => {
    outcome = end;
  });
  const seconds = document.acceptance.health_check_timeout_seconds ?? defaultReadySeconds;
  const deadline = performance.now() + seconds * 1000;
  const maxErrors = document.guardrails.deployment.health_check_retries + 1;
  const expected = readiness.status === undefined ? "" : `, expected ${readiness.status}`;
  let inARow = 0;
  let errors = 0;
  let last = "it does not answer";
  for (;;) {
    signal.throwIfAborted();
    if (outcome !== undefined) return whyEnded(outcome, await running.output());
    const timeoutMs = Math.max(1, Math.min(5_000, deadline - performance.now()));
    const { answer } = await exchange({ method: "GET", url: url + readiness.path, headers: {}, timeoutMs, signal });
    if (answer !== undefined && isReady(readiness, answer.status)) {
      inARow += 1;
      // One answer may come from something that is about to end.
      if (inARow === 2) return undefined;
      continue;
    }
    inARow = 0;
    if (answer !== undefined) {
      last = `it answers GET ${readiness.path} with ${answer.status}${expected}`;
      // 503 is how a program says that it is not ready yet; any other error stays.
      errors = answer.status === 503 ? 0 : errors + 1;
      if (errors === maxErrors) return `The software is not ready: ${last}.${lastLine(await running.output())}`;
    }
    if (performance.now() > deadline)
      return `The software is not ready after ${seconds} seconds: ${last}.${lastLine(await running.output())}`;
    await delay(pollMs, undefined, { signal });
  }
}

function isReady({ status }: Readiness, answered: number): boolean {
  return status === undefined ? answered < 500 : answered === status;
}

function whyEnded(outcome: ProcessOutcome, output: string): string {
  const exitCode = outcome.is === "exited" ? outcome.exitCode : null;
  const why = limitMessage("scripts.start", outcome) ?? `scripts.start ended with exit code ${exitCode}`;
  return `${why.replace(/\.$/, "")} before it was ready.${lastLine(output)}`;
}

function lastLine(output: string): string {
  const last = output.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? "";
  return last === "" ? "" : ` Last output: ${last}`;
}

/** The variable by which the software gets the token that it must ask for: `auth.token_variable`. */
function tokenVariable(document: CompleteSpec): string {
  const { auth } = document as { auth?: { token_variable?: unknown } };
  const name = typeof auth === "object" && auth !== null ? auth.token_variable : undefined;
  return typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) ? name : "API_TOKEN";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
