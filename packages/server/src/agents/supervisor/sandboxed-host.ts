import { isAbsolute } from "node:path";
import { PassThrough } from "node:stream";
import { messageOf } from "../../platform/errors/index.ts";
import {
  limitMessage,
  type Network,
  type ProcessLimits,
  type ProcessOutcome,
  RunsTogether,
  type Sandbox,
  type SandboxedProcess,
  type SharedFolder,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";

import type { AgentProcess, Program } from "../drivers/driver.ts";
import type { BrokenLimit, SupervisedHost } from "./supervise.ts";

interface HostDeps {
  readonly sandbox: Pick<Sandbox, "startProcess">;
  /** Unique among the runs of the node. */
  readonly runId: string;
  /** Left out: each program has an empty one of its own. */
  readonly folder?: string;
  /** Of all its programs together. */
  readonly limits: ProcessLimits;
  readonly network: Network;
  /** What the programs of the agent may read beside themselves. */
  readonly readable?: readonly string[] | undefined;
  /** Variables for every program. */
  readonly env?: Readonly<Record<string, string>>;
  /** The project's package cache, if it has one. */
  readonly cache?: SharedFolder | undefined;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly saveHandle: (handle: string) => Promise<void>;
  /** What its programs are given and nobody is to be told. */
  readonly secrets: readonly string[];
  /** Whether the agent waits for a person's permission. */
  readonly isHeldUp: () => boolean;
}

/** As messages call it. */
const who = "Agent";

/** The host of one run: starts the agent's programs in the sandbox and reports the limits that they break. */
export function sandboxedHost(deps: HostDeps, signal: AbortSignal): SupervisedHost {
  const broken = Promise.withResolvers<BrokenLimit>();
  const masker = new Masker(deps.secrets);
  const processes = new Set<Promise<SandboxedProcess | undefined>>();
  const together = new RunsTogether();
  let started = 0;
  let alive = 0;
  let lastActivityMs = performance.now();

  return {
    signal,
    broken: broken.promise,
    fetch: deps.fetch,
    saveHandle: deps.saveHandle,
    maskEnd: (text, maxChars) => masker.maskEnd(text, maxChars),
    // While a program runs, the sandbox watches whether it stalls.
    lastActivityMs: () => (alive > 0 ? performance.now() : lastActivityMs),
    start: (program) => start(program),
    end: async () => {
      const all = await Promise.all(processes);
      // How each ended is told below.
      await Promise.allSettled(all.map((running) => running?.kill({ graceMs: 1_000 })));
    },
  };

  function tell(outcome: ProcessOutcome | undefined): void {
    const limit = outcome && brokenLimit(outcome);
    if (limit !== undefined) broken.resolve(limit);
  }

  function start({ command, args, env }: Program): AgentProcess {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let isKilled = false;
    started += 1;
    alive += 1;
    const { sandbox, runId, folder, limits, network, cache } = deps;
    const starting = sandbox
      .startProcess({
        runId: `${runId}-${started}`,
        command: [command, ...args],
        ...(folder !== undefined && { folder }),
        network,
        limits,
        together,
        stdin: "pipe",
        onOutputLimit: "drop",
        isHeldUp: deps.isHeldUp,
        env: { ...cache?.env, ...deps.env, ...env },
        writable: cache === undefined ? [] : [cache.folder],
        // A program of the operator's own may lie anywhere.
        readable: [...(isAbsolute(command) ? [command] : []), ...(deps.readable ?? [])],
      })
      .then(
        (running) => {
          stdin.pipe(running.stdin!);
          running.stdin!.on("error", () => undefined);
          running.stdout.pipe(stdout);
          running.stderr.pipe(stderr);
          // Before its streams end, by which a driver would tell of a program that has only ended.
          void running.broken.then(tell);
          if (isKilled) running.kill({ graceMs: 0 }).catch(() => undefined);
          return running;
        },
        (error: Error) => {
          stderr.write(`${command} could not be started: ${error.message}\n`);
          for (const stream of [stdout, stderr]) stream.end();
          return undefined;
        },
      );
    processes.add(starting);
    const ended = starting.then(async (running) => {
      // A run that cannot be watched does not go on: we may have no file left to open.
      const end = await running?.ended.catch((error: unknown) => {
        broken.resolve({ is: "contained", error: { code: "internal_error", message: unwatched(error) } });
        return undefined;
      });
      alive -= 1;
      lastActivityMs = performance.now();
      processes.delete(starting);
      tell(end);
      return { exitCode: running === undefined ? 127 : end?.is === "exited" ? end.exitCode : null };
    });
    return {
      stdin,
      stdout,
      stderr,
      ended,
      broken: starting.then(async (running) => {
        const outcome = await running?.broken;
        return outcome && limitMessage(who, outcome);
      }),
      kill: () => {
        isKilled = true;
        starting.then((running) => running?.kill({ graceMs: 0 })).catch(() => undefined);
      },
    };
  }
}

function unwatched(error: unknown): string {
  return `${who} could not be watched: ${messageOf(error)}`;
}

function brokenLimit(end: ProcessOutcome): BrokenLimit | undefined {
  if (end.is === "stalled") return { is: "stalled" };
  const message = limitMessage(who, end);
  if (message === undefined) return undefined;
  if (end.is === "memory") return { is: "memory", error: { code: "agent_memory", message } };
  return { is: "contained", error: { code: "agent_contained", message } };
}
