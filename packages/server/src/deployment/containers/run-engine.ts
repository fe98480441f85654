import type { ChildProcess } from "node:child_process";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { lastLine } from "../../platform/one-line.ts";
import { spawnProgram } from "../../platform/process/index.ts";
import {
  cappedOutput,
  descendantsOf,
  isAlive,
  limitMessage,
  ownerMarker,
  type Process,
  type ProcessOutcome,
  signalProcess,
  thisOwner,
} from "../../platform/sandbox/index.ts";
import type { Masker } from "../../platform/secrets/index.ts";
import { timeLimit } from "../../platform/time-limit.ts";
import { BuildWatch } from "./watch-build.ts";

/** A program such as `podman`, with the arguments that the operator wants before all others. */
export type EngineCommand = readonly [program: string, ...args: string[]];

/** What the engine's program printed; a failure is its last line. */
export type EngineAnswer = { readonly output: string } | { readonly failure: string };

interface AskOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** It removes what it has made when a step of it fails, and leaves that there when it is told to end. */
  readonly cleansUp?: boolean;
  /** What it and the steps of a build may use; left out: it is a program of ours that asks something. */
  readonly limits?: {
    /** As messages name it. */
    readonly who: string;
    /** Of its steps; the engine's own programs may have some in any case. */
    readonly memoryBytes: number;
    readonly processes: number;
    /** Where the engine keeps what a build makes: the last of that disk is kept for the service. */
    readonly storage: string;
    readonly outputBytes: number;
    readonly outputBytesPerSecond: number;
  };
  /** Called with each piece of what it prints. */
  readonly onOutput?: (text: string) => void;
  /** Takes secrets out of what it printed, before a line of that says why it failed. */
  readonly masker?: Pick<Masker, "maskEnd">;
}

/** The end of what it prints is enough to say why it failed. */
const maxAnswerChars = 8 << 20;
/** What is quoted of its end is among so much. */
const maxQuotedChars = 16 << 10;
const usualTimeoutMs = 60_000;
const graceMs = 5_000;
const lookAgainMs = 100;

/** Asks the engine for something and waits for the answer. No shell reads the arguments. */
export async function runEngine(
  [program, ...before]: EngineCommand,
  args: readonly string[],
  { timeoutMs = usualTimeoutMs, signal, cleansUp = false, limits, onOutput, masker }: AskOptions = {},
): Promise<EngineAnswer> {
  let child: ChildProcess;
  try {
    child = spawnProgram(program, [...before, ...args], {
      ...{ env: engineEnvironment(), cwd: "/", stdio: ["ignore", "pipe", "pipe"] },
      // A build starts programs of its own, which end with it.
      detached: true,
    });
  } catch {
    return { failure: `'${program}' cannot be started.` };
  }
  const exceeded = new AbortController();
  const exceed = (outcome: ProcessOutcome) => exceeded.abort(limitMessage(limits!.who, outcome));
  const said = { stdout: "", stderr: "" };
  const streams = limits === undefined ? child : capped(child, limits, exceed);
  for (const name of ["stdout", "stderr"] as const)
    streams[name]!.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      // Not at every piece: each cut copies all that is kept.
      if (said[name].length > 2 * maxAnswerChars) said[name] = said[name].slice(-maxAnswerChars);
      onOutput?.(text);
    });
  const limit = timeLimit(timeoutMs);
  const over = AbortSignal.any([limit, exceeded.signal, ...(signal === undefined ? [] : [signal])]);
  const end = () => endGroup(child, cleansUp);
  over.addEventListener("abort", end);
  if (over.aborted) end();
  const watch = limits === undefined ? undefined : new BuildWatch(child, limits);
  // A build that cannot be watched must not go on: we may have no file left to open.
  watch?.begin(exceed).catch((error: Error) => exceeded.abort(`${limits!.who} could not be watched: ${error.message}`));
  try {
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const code = await ended;
    if (limits !== undefined) await Promise.all([streams.stdout, streams.stderr].map((one) => finished(one!)));
    if (signal?.aborted) return { failure: `'${program}' was interrupted.` };
    if (exceeded.signal.aborted) return { failure: exceeded.signal.reason as string };
    if (limit.aborted) return { failure: `'${program}' did not end within ${Math.round(timeoutMs / 1000)} seconds.` };
    if (code === 0) return { output: said.stdout };
    const last = said.stderr || said.stdout;
    const why = explain(program, code, (await masker?.maskEnd(last, maxQuotedChars)) ?? last);
    const ofStep = watch?.whyStepFailed(why);
    return { failure: (ofStep && limitMessage(limits!.who, ofStep)) ?? why };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return { failure: isMissing ? `'${program}' is not installed.` : `'${program}' cannot be started.` };
  } finally {
    over.removeEventListener("abort", end);
  }
}

/** What a build prints, slowed down and cut as that of other programs. */
function capped(
  child: ChildProcess,
  limits: NonNullable<AskOptions["limits"]>,
  exceed: (outcome: ProcessOutcome) => void,
) {
  const { outputBytes: limitBytes, outputBytesPerSecond: bytesPerSecond } = limits;
  const onOver = () => exceed({ is: "output", used: budget.usedBytes, limit: limitBytes });
  const budget: Parameters<typeof cappedOutput>[0] = {
    ...{ limitBytes, bytesPerSecond, onLimit: "kill", onOver },
    ...{ usedBytes: 0, lastAtMs: 0, waiting: undefined, paidUntilMs: 0 },
  };
  return { stdout: child.stdout!.pipe(cappedOutput(budget)), stderr: child.stderr!.pipe(cappedOutput(budget)) };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function endGroup(child: ChildProcess, cleansUp: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  const step = endingOf(pid, () => hasEnded(child), cleansUp);
  const timer = setInterval(step, lookAgainMs).unref();
  child.once("close", () => clearInterval(timer));
  step();
}

/** Ends a build that another service started, and waits until it has ended. */
export async function endLeftBuild(build: Process): Promise<void> {
  const step = endingOf(build.pid, () => !isAlive(build), true);
  while (isAlive(build)) {
    step();
    await delay(lookAgainMs);
  }
}

/**
 * What ends a program of the engine's, step by step. What a build runs is in sessions of its own, and goes on without the
 * engine's program: it is killed first. A program that cleans up then finds that its step has failed, and is told to end
 * only if that takes long.
 */
function endingOf(pid: number, isOver: () => boolean, cleansUp: boolean): () => void {
  const startedAtMs = performance.now();
  let isAsked = false;
  return () => {
    const passedMs = performance.now() - startedAtMs;
    if (!isOver()) for (const one of descendantsOf(pid)) signalProcess(one, "SIGKILL");
    if (passedMs >= 2 * graceMs) signalGroup(pid, "SIGKILL");
    else if (!isAsked && (!cleansUp || passedMs >= graceMs)) {
      isAsked = true;
      signalGroup(pid, "SIGTERM");
    }
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * What the engine's program gets of our environment: the same from the service and from the supervisor, or they would see
 * different containers; and our name, for a build may be left. Nothing of a project: a `LD_PRELOAD` would be loaded into a program that has all rights.
 */
export function engineEnvironment(): NodeJS.ProcessEnv {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR"];
  const given = names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...Object.fromEntries(given), [ownerMarker]: thisOwner() };
}

function explain(program: string, code: number | null, said: string): string {
  const last = lastLine(said);
  return last === "" ? `'${program}' ended with exit code ${code}.` : last.replace(/^error: /i, "");
}
