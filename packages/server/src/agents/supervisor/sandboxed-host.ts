import { isAbsolute } from "node:path";
import { PassThrough } from "node:stream";
import type { Failure } from "../../platform/errors/index.ts";
import {
  memoryLimitMessage,
  type Network,
  type ProcessEnd,
  type ProcessLimits,
  type Sandbox,
  type SandboxedProcess,
  type SharedFolder,
} from "../../platform/sandbox/index.ts";

import type { AgentProcess, Program } from "../drivers/driver.ts";
import type { BrokenLimit, SupervisedHost } from "./supervise.ts";

interface HostDeps {
  readonly sandbox: Pick<Sandbox, "startProcess">;
  /** Unique among the runs of the node. */
  readonly runId: string;
  readonly agentId: string;
  readonly folder: string;
  readonly limits: ProcessLimits;
  readonly network: Network;
  /** Variables for every program. */
  readonly env?: Readonly<Record<string, string>>;
  /** The project's package cache, if it has one. */
  readonly cache?: SharedFolder | undefined;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly saveHandle: (handle: string) => Promise<void>;
  /** Whether the agent waits for a person's permission. */
  readonly isHeldUp: () => boolean;
}

/** The host of one run: starts the agent's programs in the sandbox and reports the limits that they break. */
export function sandboxedHost(deps: HostDeps, signal: AbortSignal): SupervisedHost {
  const broken = Promise.withResolvers<BrokenLimit>();
  const processes = new Set<Promise<SandboxedProcess | undefined>>();
  let started = 0;
  let alive = 0;
  let lastActivityMs = performance.now();

  return {
    signal,
    broken: broken.promise,
    fetch: deps.fetch,
    saveHandle: deps.saveHandle,
    // While a program runs, the sandbox watches whether it stalls.
    lastActivityMs: () => (alive > 0 ? performance.now() : lastActivityMs),
    start: (program) => start(program),
    end: async () => {
      const all = await Promise.all(processes);
      await Promise.all(all.map((running) => running?.kill({ graceMs: 1_000 })));
    },
  };

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
        folder,
        network,
        limits,
        stdin: "pipe",
        onOutputLimit: "drop",
        isHeldUp: deps.isHeldUp,
        env: { ...cache?.env, ...deps.env, ...env },
        writable: cache === undefined ? [] : [cache.folder],
        // A program of the operator's own may lie anywhere.
        readable: isAbsolute(command) ? [command] : [],
      })
      .then(
        (running) => {
          stdin.pipe(running.stdin!);
          running.stdin!.on("error", () => undefined);
          running.stdout.pipe(stdout);
          running.stderr.pipe(stderr);
          if (isKilled) void running.kill({ graceMs: 0 });
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
      const end = await running?.ended;
      alive -= 1;
      lastActivityMs = performance.now();
      processes.delete(starting);
      const limit = end && brokenLimit(deps.agentId, end);
      if (limit !== undefined) broken.resolve(limit);
      return { exitCode: end === undefined ? 127 : end.is === "exited" ? end.exitCode : null };
    });
    return {
      stdin,
      stdout,
      stderr,
      ended,
      kill: () => {
        isKilled = true;
        void starting.then((running) => running?.kill({ graceMs: 0 }));
      },
    };
  }
}

function brokenLimit(agentId: string, end: ProcessEnd): BrokenLimit | undefined {
  switch (end.is) {
    case "memory":
      return { is: "memory", error: { code: "agent_memory", message: memoryLimitMessage(end) } };
    case "stalled":
      return { is: "stalled" };
    case "processes":
      return { is: "contained", error: contained(agentId, `started ${end.used} processes, limit was ${end.limit}`) };
    case "disk":
      return { is: "contained", error: contained(agentId, `wrote ${end.used} bytes, limit was ${end.limit}`) };
    case "exited":
    case "timeout":
    case "cancelled":
    case "output":
      return undefined;
  }
}

function contained(agentId: string, what: string): Failure {
  return { code: "agent_contained", message: `Agent ${agentId} ${what}` };
}
