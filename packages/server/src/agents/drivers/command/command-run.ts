import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentHost, AgentProcess, AgentReport, AgentRun, AgentWork, Program } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { failed, failedBy } from "../failed-report.ts";
import { readOutput } from "../read-output.ts";
import { reportDone } from "../take-breakdown.ts";
import { EventTranslator } from "./event-translator.ts";
import { explainExit, explainFailure } from "./explain-failure.ts";
import { type Fields, parseFields } from "./json-fields.ts";
import { LastLines } from "./last-lines.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { CommandProfile, Reading } from "./profile.ts";

export interface CommandCall {
  readonly profile: CommandProfile;
  readonly work: AgentWork;
  readonly host: AgentHost;
  readonly programFor: (promptFile: string | undefined) => Program;
  /** Written to the program's standard input. */
  readonly input: string;
  /** Writes the prompt into a file; undefined if no argument names one. */
  readonly writePrompt: (() => Promise<PromptFile>) | undefined;
}

export interface PromptFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** A process that can also be interrupted, where the host can do that. */
type StoppableProcess = AgentProcess & { readonly interrupt?: () => void };

/** How long an interrupted program may take to end before it is killed. */
const graceMs = 5000;
/** A child may keep the output of an ended program open: reading stops after this much silence, and at the latest after `lingerMs`. */
const quietMs = 1000;
const lingerMs = 10_000;
const checkMs = 100;

/** A run of a command-line agent: its program starts once, and its output is read to the end. */
export class CommandRun implements AgentRun {
  readonly events = new EventQueue();
  readonly result: Promise<AgentReport>;
  readonly #call: CommandCall;
  readonly #translator: EventTranslator;
  readonly #lastLines = new LastLines();
  #process: StoppableProcess | undefined;
  #isCancelled = false;
  #killTimer: NodeJS.Timeout | undefined;
  #lastReadMs = 0;

  constructor(call: CommandCall) {
    this.#call = call;
    this.#translator = new EventTranslator(call.work.folder, (event) => this.events.push(event));
    this.result = this.#run().catch(failedBy);
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const process = this.#process;
    if (this.#call.profile.stop === "kill" || process?.interrupt === undefined) {
      process?.kill();
      return;
    }
    process.interrupt();
    this.#killTimer = setTimeout(() => process.kill(), graceMs).unref();
  }

  async #run(): Promise<AgentReport> {
    const { writePrompt, programFor, profile } = this.#call;
    let promptFile: PromptFile | undefined;
    try {
      promptFile = await writePrompt?.();
      if (this.#isCancelled || this.#call.host.signal.aborted) return cancelled(profile);
      const { exitCode } = await this.#carryOut(programFor(promptFile?.path));
      return await this.#conclude(exitCode);
    } finally {
      clearTimeout(this.#killTimer);
      await promptFile?.remove();
      this.events.close();
    }
  }

  async #carryOut(program: Program): Promise<{ readonly exitCode: number | null }> {
    const process: StoppableProcess = this.#call.host.start(program);
    this.#process = process;
    this.events.push({ type: "status", text: `${this.#call.profile.title} was started` });
    // The program may end or close its input before it has read all of it.
    process.stdin.on("error", () => {});
    process.stdin.end(this.#call.input);
    const read = Promise.all([
      this.#readLines(process.stdout, (lines) => this.#readOutput(lines)),
      this.#readLines(process.stderr, (lines) => this.#log("stderr", lines)),
    ]);
    const end = await process.ended;
    await Promise.race([read, this.#quiet()]);
    process.stdout.destroy();
    process.stderr.destroy();
    await read;
    this.#translator.end();
    return end;
  }

  async #readLines(stream: Readable, onLines: (lines: readonly string[]) => void): Promise<void> {
    const cutter = new LineSplitter();
    await readOutput(stream, this.events, (chunk) => {
      this.#lastReadMs = performance.now();
      const lines = cutter.push(chunk);
      if (lines.length > 0) onLines(lines);
    });
    const rest = cutter.end();
    if (rest.length > 0) onLines(rest);
  }

  /** Waits until the output has been silent for a while; the time in which nobody reads does not count. */
  async #quiet(): Promise<void> {
    const endMs = performance.now();
    for (let waitedMs = 0; waitedMs < lingerMs; waitedMs += checkMs) {
      await this.events.whenRoom();
      await delay(checkMs, undefined, { ref: false });
      if (performance.now() - Math.max(endMs, this.#lastReadMs) > quietMs) return;
    }
  }

  async #conclude(exitCode: number | null): Promise<AgentReport> {
    const { profile, work, host } = this.#call;
    if (this.#isCancelled) return cancelled(profile);
    const { failure } = this.#translator;
    if (failure !== undefined) return explainFailure(profile, failure);
    if (exitCode !== 0) return explainExit(profile, exitCode, await this.#lastLines.text(host));
    return reportDone(work);
  }

  #readOutput(lines: readonly string[]): void {
    const { output } = this.#call.profile;
    if (output.is === "text") {
      this.#log("stdout", lines);
      for (const line of lines) for (const reading of output.read(line)) this.#translator.take(reading);
      return;
    }
    const unread: string[] = [];
    for (const line of lines) {
      const readings = readJson(line, output.read);
      if (readings === undefined) {
        if (line.trim() !== "") unread.push(line);
        continue;
      }
      // Flushed first, so that log lines and events stay in order.
      this.#log("stdout", unread.splice(0));
      for (const reading of readings) this.#translator.take(reading);
    }
    this.#log("stdout", unread);
  }

  #log(stream: "stdout" | "stderr", lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lastLines.add(lines);
    this.events.push({ type: "log", stream, text: `${lines.join("\n")}\n`.toWellFormed() });
  }
}

/** Trusts nothing of a line: it may be no JSON, hold wrong values or nest too deep. */
function readJson(
  line: string,
  read: (fields: Fields) => readonly Reading[] | undefined,
): readonly Reading[] | undefined {
  const fields = parseFields(line);
  try {
    return fields && read(fields);
  } catch {
    return undefined;
  }
}

function cancelled({ title }: CommandProfile): AgentReport {
  return failed("agent_cancelled", `${title} was stopped before it was done.`);
}
