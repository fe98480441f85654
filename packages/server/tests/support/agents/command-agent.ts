import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptanceLines, type CompleteSpec, parseSpec, planWork, resolveSpec, type WorkPlan } from "@slipway/spec";
import { onTestFinished } from "vitest";
import type {
  AgentDriver,
  AgentEvent,
  AgentHost,
  AgentProcess,
  AgentReport,
  AgentRun,
  AgentWork,
  Program,
} from "../../../src/agents/drivers/driver.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";

/** A folder that is gone after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program of somebody else's: a script for Node that is run as if it were one. */
export function fakeProgram(script: string): string {
  const path = join(tempFolder(), "agent");
  writeFileSync(path, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
  return path;
}

export const document = readDocument(`
spec_version: "1.0.0"
id: notes
name: Notes
description: Keeps short notes.
outcome_type: api
stack: { language: javascript, runtime: node }
scripts: { test: npm test, start: node server.js }
acceptance:
  http_endpoints:
    - { path: /notes, method: GET, status: 200, response_contains: "[]" }
  commands: ["node --version"]
tasks:
  - { id: store, title: Store notes on disk, description: One file for all notes. }
  - { id: list-notes, title: List notes, depends_on: [store] }
`);

export function readDocument(text: string): CompleteSpec {
  const { document: parsed, diagnostics } = parseSpec(text);
  if (parsed === undefined) throw new Error(JSON.stringify(diagnostics));
  return resolveSpec(parsed).document;
}

export const plan: WorkPlan = planWork(document);

export function taskNamed(id: string, of: WorkPlan = plan) {
  const task = of.tasks.find((other) => other.id === id);
  if (task === undefined) throw new Error(`no task ${id} among ${of.tasks.map((other) => other.id)}`);
  return task;
}

export const firstPointer = acceptanceLines(document)[0]!.pointer;

/** Lets a driver do a task, without a sandbox, and reads everything that it says. */
export function startAgent(
  driver: AgentDriver,
  changes: Partial<AgentWork> = {},
  onEvent: (event: AgentEvent, run: AgentRun) => void = () => {},
): Started {
  const work: AgentWork = {
    projectId: "proj_1",
    agentId: "agent_1",
    attempt: 1,
    task: taskNamed("store"),
    document,
    prompt: "Store notes on disk.",
    folder: tempFolder(),
    ...changes,
  };
  const programs: Program[] = [];
  const host = hostIn(work.folder, programs);
  const run = driver.start(work, host);
  return { run, folder: work.folder, programs, finished: finish(run, onEvent) };
}

interface Started {
  readonly run: AgentRun;
  readonly folder: string;
  /** What was started, in order. */
  readonly programs: readonly Program[];
  readonly finished: Promise<{ readonly report: AgentReport; readonly events: readonly AgentEvent[] }>;
}

async function finish(run: AgentRun, onEvent: (event: AgentEvent, run: AgentRun) => void) {
  const events: AgentEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    onEvent(event, run);
  }
  return { report: await run.result, events };
}

function hostIn(folder: string, programs: Program[]): AgentHost {
  return {
    signal: new AbortController().signal,
    start: (program) => {
      programs.push(program);
      return startProcess(program, folder);
    },
    fetch: () => Promise.reject(new Error("no network")),
    saveHandle: () => Promise.resolve(),
    maskEnd: (text, maxChars) => new Masker([]).maskEnd(text, maxChars),
  };
}

function startProcess({ command, args, env = {} }: Program, cwd: string): AgentProcess & { interrupt(): void } {
  const child = spawn(command, args, { cwd, env: { PATH: process.env["PATH"], ...env } });
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number | null }>();
  child.on("error", () => resolve({ exitCode: 127 }));
  child.on("exit", (exitCode) => resolve({ exitCode }));
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: promise,
    kill: () => void child.kill("SIGKILL"),
    interrupt: () => void child.kill("SIGINT"),
  };
}
