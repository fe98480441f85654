import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limit.ts";
import { limitMessage } from "./limit-message.ts";
import type { ProcessLimits, ProcessOutcome } from "./process-options.ts";
import type { CommandToRun, RunningCommand } from "./run-command.ts";

/** A program that serves HTTP, and how it shows that it is ready. */
export interface ServerToStart extends Omit<CommandToRun, "stdin" | "network"> {
  /** What people call it: `scripts.start`. */
  readonly name: string;
  readonly limits: ProcessLimits;
  /** The request that must be answered; without a status, with anything but a server error. */
  readonly readiness: { readonly path: string; readonly status?: number };
  readonly readyWithinMs: number;
  /** How many server errors in a row mean that it will not get ready. */
  readonly maxErrors: number;
  readonly signal: AbortSignal;
  /** Where it must listen; left out: on any free port. */
  readonly port?: number;
}

export interface StartedServer {
  readonly url: string;
  readonly running: RunningServer;
  readonly readyMs: number;
}

/** What starts a program that serves, or what leads to one elsewhere, so that the service can reach it. */
export interface CommandStarter {
  startCommand(toRun: CommandToRun, limits: ProcessLimits): RunningServer;
}

export type RunningServer = Pick<RunningCommand, "ended" | "isOver" | "output" | "kill" | "stop" | "peakMemoryBytes"> &
  Partial<Pick<RunningCommand, "listensAt" | "ports">> & {
    /** What the program finds in `PORT`, where that is not the port at which it is asked. */
    readonly portThere?: number;
  };

const host = "127.0.0.1";
const pollMs = 50;
const maxRequestMs = 5_000;

interface ServerFailure {
  readonly failure: string;
  readonly output: string;
}

/** How many free ports are tried: another program may take one before this one listens there. */
const maxPorts = 3;

/** Starts a program on a free port, which it finds in `PORT`, and waits until it is ready; or says why it is not. */
export async function startServer(
  sandbox: CommandStarter,
  server: ServerToStart,
): Promise<StartedServer | ServerFailure> {
  for (let left = server.port === undefined ? maxPorts : 1; ; left -= 1) {
    const started = await startAt(sandbox, server, server.port ?? (await freePort()));
    if ("url" in started || started.failure !== takenPort(server.name) || left <= 1) return started;
  }
}

async function startAt(
  sandbox: CommandStarter,
  server: ServerToStart,
  port: number,
): Promise<StartedServer | ServerFailure> {
  const { command, folder, startsIn, writable, account, masker, onOutput, limits } = server;
  const url = `http://${host}:${port}`;
  const env = { ...server.env, PORT: String(port), HOST: host };
  const shared = {
    ...(startsIn !== undefined && { startsIn }),
    ...(writable && { writable }),
    ...(account && { account }),
    ...(masker && { masker }),
    ...(onOutput && { onOutput }),
  };
  const running = sandbox.startCommand({ command, folder, env, ...shared }, limits);
  const startedAt = performance.now();
  let isReady = false;
  try {
    const failure = await untilReady(server, running, url);
    if (failure !== undefined) return { failure, output: await running.output() };
    isReady = true;
    return { url, running, readyMs: Math.round(performance.now() - startedAt) };
  } finally {
    if (!isReady) {
      running.kill();
      await running.ended;
    }
  }
}

/** Why it is not ready; undefined when it is. */
async function untilReady(
  { name, readiness, readyWithinMs, maxErrors, signal }: ServerToStart,
  running: RunningServer,
  url: string,
): Promise<string | undefined> {
  let outcome: ProcessOutcome | undefined;
  void running.ended.then((end) => {
    outcome = end;
  });
  const { path, status } = readiness;
  const port = Number(new URL(url).port);
  const deadline = performance.now() + readyWithinMs;
  const expected = status === undefined ? "" : `, expected ${status}`;
  let inARow = 0;
  let errors = 0;
  let last: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    if (outcome !== undefined) {
      // All that it had started is gone: who listens there has kept it from doing so.
      const isTaken = outcome.is === "exited" && (await freePort(port)) !== port;
      return isTaken ? takenPort(name) : whyServerEnded(name, outcome, "before it was ready");
    }
    const answered = await statusOf(
      url + path,
      Math.max(1, Math.min(maxRequestMs, deadline - performance.now())),
      signal,
    );
    if (answered !== undefined && (status === undefined ? answered < 500 : answered === status)) {
      inARow += 1;
      // One answer may come from something that is about to end.
      if (inARow < 2) continue;
      const isOwn = (await running.listensAt?.(port)) ?? true;
      return isOwn ? undefined : takenPort(name);
    }
    inARow = 0;
    if (answered !== undefined) {
      last = `it answers GET ${path} with ${answered}${expected}`;
      // 503 is how a program says that it is not ready yet; any other error stays.
      errors = answered === 503 ? 0 : errors + 1;
      if (errors >= maxErrors) return `${name} is not ready: ${last}.`;
    }
    if (performance.now() > deadline)
      return `${name} is not ready after ${readyWithinMs / 1000} seconds: ${last ?? (await whySilent(running, port))}.`;
    await delay(pollMs, undefined, { signal });
  }
}

/** More than any honest program listens at. */
const maxPortsTold = 5;

/** Where it should answer, and where it listens instead, if that can be seen. */
async function whySilent(running: RunningServer, port: number): Promise<string> {
  const told = running.portThere ?? port;
  const ports = ((await running.ports?.()) ?? []).filter((one) => one !== told).slice(0, maxPortsTold);
  const instead = ports.length === 0 ? "" : `. It listens at port ${ports.join(", ")} instead`;
  return `nothing answers at port ${told}, which the environment variable PORT names${instead}`;
}

/** Why a program that serves cannot be reached: others listen where it should. */
export function takenPort(name: string): string {
  return `Another program has taken the port of ${name}.`;
}

/** Why a program that serves has ended, though nobody had asked it to. */
export function whyServerEnded(name: string, outcome: ProcessOutcome, when: string): string {
  const exitCode = outcome.is === "exited" ? outcome.exitCode : null;
  return limitMessage(name, outcome) ?? `${name} ended with exit code ${exitCode} ${when}.`;
}

/** What is answered at an address, whatever else it says; undefined if nothing is in time. */
export async function statusOf(url: string, timeoutMs: number, signal: AbortSignal): Promise<number | undefined> {
  try {
    const limit = AbortSignal.any([timeLimit(timeoutMs), signal]);
    const answer = await fetch(url, { signal: limit, redirect: "manual" });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return undefined;
  }
}

/** A port that nobody listens on: the wanted one, else any. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(wanted, host, resolve));
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort();
  }
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
