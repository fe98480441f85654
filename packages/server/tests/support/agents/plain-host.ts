import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec, planWork, resolveSpec } from "@slipway/spec";
import { onTestFinished } from "vitest";
import type {
  AgentEvent,
  AgentHost,
  AgentProcess,
  AgentRun,
  AgentWork,
  Program,
} from "../../../src/agents/drivers/driver.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { fastFolder } from "../database/fast-folder.ts";

export interface PlainHost extends AgentHost {
  readonly handles: string[];
  readonly programs: Program[];
  /** What the test says: it must stop. */
  abort(): void;
}

/** A folder that is gone after the test. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(fastFolder(), "slipway-agent-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Lets an agent's programs run as plain processes, and its requests go anywhere. */
export function plainHost(folder: string): PlainHost {
  const stop = new AbortController();
  const processes: AgentProcess[] = [];
  onTestFinished(async () => {
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ ended }) => ended));
  });
  const programs: Program[] = [];
  const handles: string[] = [];
  return {
    signal: stop.signal,
    abort: () => stop.abort(),
    handles,
    programs,
    start: (program) => {
      programs.push(program);
      const process = startPlain(program, folder);
      processes.push(process);
      return process;
    },
    fetch: (url, init) => fetch(url, init),
    saveHandle: async (handle) => {
      handles.push(handle);
    },
    maskEnd: (text, maxChars) => new Masker([]).maskEnd(text, maxChars),
  };
}

function startPlain({ command, args, env }: Program, folder: string): AgentProcess {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, ...env },
    detached: true,
    stdio: "pipe",
  });
  const ended = once(child, "exit").then(
    ([exitCode]) => ({ exitCode: exitCode as number | null }),
    () => ({ exitCode: 127 }),
  );
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    kill: () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    },
  };
}

const text = `spec_version: "1.0.0"
id: shop
name: Shop
description: A small shop.
outcome_type: api
stack: {}
acceptance: {}
`;
const { document: parsed } = parseSpec(text);
const { document } = resolveSpec(parsed!);
const tasks = [...planWork(document).tasks];

/** Work in a folder, for the role that is named. */
export function workIn(folder: string, { role = "implementer", prompt = "Build the shop." } = {}): AgentWork {
  const task = { ...tasks[0]!, id: "build", title: "Build the shop", role };
  return { projectId: "proj_test", agentId: "agent_test", attempt: 1, task, document, prompt, folder };
}

/** Everything that a run lets know, until it ends. */
export async function follow(run: AgentRun, onEvent: (event: AgentEvent) => void = () => {}) {
  const events: AgentEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    onEvent(event);
  }
  return { events, report: await run.result };
}

/** The events of one type. */
export function ofType<T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T) {
  return events.filter((event) => event.type === type) as Extract<AgentEvent, { type: T }>[];
}
