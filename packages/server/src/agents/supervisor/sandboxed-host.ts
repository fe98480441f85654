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
  readonly sandbox: Pick<Sandbox, "cage">;
  /** Unique among all attempts. */
  readonly runId: string;
  readonly agentId: string;
  readonly folder: string;
  readonly limits: ProcessLimits;
  readonly network: Network;
  /** What every program finds in its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the project's packages are kept, if they are. */
  readonly cache?: SharedFolder | undefined;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly keepHandle: (handle: string) => Promise<void>;
  /** Whether somebody is asked just now whether it may go on. */
  readonly isHeldUp: () => boolean;
}

/** What an agent may use: programs in the sandbox, and the network as far as the operator allows it. */
export function sandboxedHost(parts: HostDeps, signal: AbortSignal): SupervisedHost {
  const broken = Promise.withResolvers<BrokenLimit>();
  const cages = new Set<Promise<SandboxedProcess | undefined>>();
  let started = 0;
  let alive = 0;
  let lastActivityMs = performance.now();

  return {
    signal,
    broken: broken.promise,
    fetch: parts.fetch,
    keepHandle: parts.keepHandle,
    // While a program runs, its own watch tells whether it still does something.
    lastActivityMs: () => (alive > 0 ? performance.now() : lastActivityMs),
    start: (program) => start(program),
    end: async () => {
      const all = await Promise.all(cages);
      await Promise.all(all.map((cage) => cage?.kill({ graceMs: 1_000 })));
    },
  };

  function start({ command, args, env }: Program): AgentProcess {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let isKilled = false;
    started += 1;
    alive += 1;
    const { sandbox, runId, folder, limits, network, cache } = parts;
    const cage = sandbox
      .cage({
        runId: `${runId}-${started}`,
        command: [command, ...args],
        folder,
        network,
        limits,
        stdin: "pipe",
        onOutputLimit: "drop",
        isHeldUp: parts.isHeldUp,
        env: { ...cache?.env, ...parts.env, ...env },
        writable: cache === undefined ? [] : [cache.folder],
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
    cages.add(cage);
    const ended = cage.then(async (running) => {
      const end = await running?.ended;
      alive -= 1;
      lastActivityMs = performance.now();
      cages.delete(cage);
      const limit = end && brokenLimit(parts.agentId, end);
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
        void cage.then((running) => running?.kill({ graceMs: 0 }));
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
