import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../platform/errors/index.ts";
import { shortened } from "../../platform/one-line.ts";
import {
  type CommandStarter,
  DiskMeter,
  freePort,
  limitMessage,
  type ProcessOutcome,
  type ResourceLimits,
  type RunAccount,
  roomOn,
  type StartedServer,
  startServer,
  statusOf,
  takenPort,
} from "../../platform/sandbox/index.ts";
import { type Masked, Masker, ownWords, partOf } from "../../platform/secrets/index.ts";
import { ProgramLog } from "./program-log.ts";
import type { ProgramPlan } from "./release-plan.ts";

export interface ProgramDeps {
  /** What starts it: the sandbox, or what runs containers. */
  readonly starter: CommandStarter;
  readonly limits: ResourceLimits;
  readonly account: RunAccount;
  /** The folder of the version, and where in it the program begins: programs may put links there. */
  readonly place: { readonly folder: string; readonly startsIn: string };
  /** Others know its address: it is the same after each restart. */
  readonly keepsPort: boolean;
  /** Added to the plan's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not appear in its output. */
  readonly secrets: readonly string[];
  /** Called with its output. */
  readonly onOutput: (text: Masked) => void;
  /** Called when it becomes unwell, with the reason, and when it is well again. */
  readonly onHealth: (reason: Masked | undefined) => void;
}

/** Why a program did not get well, and the end of what it wrote. */
export interface StartFailure {
  readonly failure: Masked;
  readonly output: Masked;
}

const graceMs = 5_000;
/** How long after its time an answer may be missed on a machine that is busy. */
const maxLateMs = 250;
/** However often a document wants to have it asked: the proxies of all deployments are in this process. */
const minEveryMs = 100;
const maxReasonLength = 1_000;
const firstBackoffMs = 200;
const maxBackoffMs = 30_000;
/** More than any log; a program that writes faster waits, so that the proxy of all others need not. */
const outputBytesPerSecond = 2 << 20;
/** After this long without a failure, the next one counts as the first. */
const wellAfterMs = 60_000;
/** A disk that takes longer to look through keeps nobody from starting. */
const maxMeasureMs = 30_000;

/** A program that is started again, with growing pauses, whenever it ends or no longer answers. */
export class KeptProgram {
  readonly plan: ProgramPlan;
  readonly #deps: ProgramDeps;
  readonly #isStopped = new AbortController();
  readonly #log: ProgramLog;
  readonly #masker: Masker;
  #started: StartedServer | undefined;
  #keeping: Promise<void> = Promise.resolve();
  /** Where it listened first, if others know that. */
  #knownPort: number | undefined;
  #restarts = 0;
  #reason: Masked | undefined;
  /** Why it was ended, if it took the last of the disk. */
  #fullDisk: string | undefined;

  constructor(deps: ProgramDeps, plan: ProgramPlan) {
    this.#deps = deps;
    this.#log = new ProgramLog({ secrets: deps.secrets, onText: deps.onOutput });
    this.#masker = new Masker(deps.secrets);
    this.plan = plan;
  }

  /** Where it was well last. */
  get lastOrigin(): string | undefined {
    return this.#started?.url;
  }

  /** Its address while it is well. */
  get origin(): string | undefined {
    return this.#reason === undefined ? this.#started?.url : undefined;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Why it is not well; undefined if it is. */
  get reason(): Masked | undefined {
    return this.#reason;
  }

  /** Starts it for the first time and waits until it is well. From then on it is kept so; a failure is the caller's. */
  async start(signal: AbortSignal): Promise<StartFailure | undefined> {
    const started = await this.#startOnce(AbortSignal.any([signal, this.#isStopped.signal]));
    if ("failure" in started) return started;
    this.#keeping = this.#keep(started).catch(() => undefined);
    return undefined;
  }

  /** Asks it to end, and kills it if it does not. */
  async stop(): Promise<void> {
    this.#isStopped.abort();
    await this.#started?.running.stop(graceMs);
    await this.#keeping;
  }

  async #keep(first: StartedServer): Promise<void> {
    const { signal } = this.#isStopped;
    let backoffMs = firstBackoffMs;
    for (let started = first; ; ) {
      this.#started = started;
      const wellAtMs = performance.now();
      const reason = await this.#untilUnwell(started);
      // It may have got ready at the very moment.
      if (signal.aborted) return void (await started.running.stop(graceMs));
      // Nobody waits for a program that is live: its log is where people look.
      this.#log.note(reason);
      this.#setReason(this.#masker.mask(reason));
      await started.running.stop(graceMs);
      if (performance.now() - wellAtMs > wellAfterMs) backoffMs = firstBackoffMs;
      for (;;) {
        await delay(backoffMs, undefined, { signal });
        backoffMs = Math.min(maxBackoffMs, backoffMs * 2);
        this.#restarts += 1;
        const again = await this.#startOnce(signal).catch((error: unknown) => {
          signal.throwIfAborted();
          // As without a file left to open, or a port: another time there may be.
          return { failure: this.#masker.mask(messageOf(error)), output: ownWords`` };
        });
        if (!("failure" in again)) {
          started = again;
          break;
        }
        this.#setReason(again.failure);
      }
      this.#started = started;
      this.#setReason(undefined);
    }
  }

  #setReason(reason: Masked | undefined): void {
    const wasWell = this.#reason === undefined;
    // A document chooses the path in it, and all reasons together are one message to the service.
    this.#reason = reason && partOf(reason, (text) => shortened(text, maxReasonLength));
    if (wasWell !== (reason === undefined)) this.#deps.onHealth(this.#reason);
  }

  async #startOnce(signal: AbortSignal): Promise<StartedServer | StartFailure> {
    const { starter, limits, account, place, secrets, keepsPort } = this.#deps;
    const { label: name, command, env, health } = this.plan;
    const { path, status, readyWithinMs, maxErrors } = health;
    this.#log.note(`$ ${command}`);
    const full = await this.#whyFull(signal);
    signal.throwIfAborted();
    const port = this.#knownPort;
    // A program of others may listen where this one did before it ended, and would get its requests.
    const isTaken = port !== undefined && (await freePort(port)) !== port;
    const failure = full ?? (isTaken ? takenPort(name) : undefined);
    const started =
      failure !== undefined
        ? { failure, output: "" }
        : await startServer(starter, {
            ...{ name, command, ...place, account, signal, readyWithinMs, maxErrors },
            ...(port !== undefined && { port }),
            limits: { ...limits, outputBytesPerSecond },
            env: { ...env, ...this.#deps.env },
            masker: new Masker(secrets),
            onOutput: (text) => this.#log.write(text),
            readiness: { path, ...(status !== undefined && { status }) },
          });
    if ("failure" in started) {
      this.#log.end();
      this.#log.note(started.failure);
      return { failure: this.#masker.mask(started.failure), output: this.#masker.mask(started.output) };
    }
    if (keepsPort) this.#knownPort = Number(new URL(started.url).port);
    void started.running.ended.then(() => this.#log.end());
    return started;
  }

  /** A limit that is exceeded already would be by more each time: a program can write until somebody has looked. */
  async #whyFull(signal: AbortSignal): Promise<string | undefined> {
    const { limits, account, place } = this.#deps;
    const { label, container, tunnel } = this.plan;
    if (tunnel !== undefined) return undefined;
    const folders = container === undefined ? [place.folder, ...account.folders] : account.folders;
    const meter = new DiskMeter({ folders, shared: [], openFiles: async () => [] });
    const used = await meter.measure(AbortSignal.any([signal, AbortSignal.timeout(maxMeasureMs)]));
    if (used !== undefined && used > limits.diskBytes)
      return limitMessage(label, { is: "disk", used, limit: limits.diskBytes });
    // Each start would give it some more of what is to be left.
    return this.#fullDisk !== undefined && (await roomOn(meter.disk, signal)).isLow ? this.#fullDisk : undefined;
  }

  /** Resolves with the reason when the program ended or does not answer as it should. */
  async #untilUnwell({ url, running }: StartedServer): Promise<string> {
    const isOver = new AbortController();
    const signal = AbortSignal.any([isOver.signal, this.#isStopped.signal]);
    try {
      return await Promise.race([
        running.ended.then((outcome) => this.#noteEnd(outcome)),
        this.#untilSilent(url, running, signal),
      ]);
    } finally {
      isOver.abort();
    }
  }

  #noteEnd(outcome: ProcessOutcome): string {
    const why = whyEnded(this.plan.label, outcome);
    this.#fullDisk = outcome.is === "full_disk" ? why : undefined;
    return why;
  }

  async #untilSilent(url: string, running: StartedServer["running"], signal: AbortSignal): Promise<string> {
    const { path, status, everyMs, withinMs, maxErrors } = this.plan.health;
    for (let errors = 0; ; ) {
      await delay(Math.max(minEveryMs, everyMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return "";
      const askedAtMs = performance.now();
      const answered = await statusOf(url + path, withinMs, signal);
      // Whoever notices the end of a time so late was held up itself, and may not have seen an answer that came.
      if (answered === undefined && performance.now() - askedAtMs > withinMs + maxLateMs) continue;
      const isWell = answered !== undefined && (status === undefined ? answered < 500 : answered === status);
      errors = isWell ? 0 : errors + 1;
      // How it ended says more than that it does not answer.
      if (errors < maxErrors || running.isOver) continue;
      const what = answered === undefined ? "does not answer" : `answers with ${answered}`;
      return `${this.plan.label} ${what} at ${path}, ${errors} times in a row.`;
    }
  }
}

function whyEnded(label: string, outcome: ProcessOutcome): string {
  const exited = outcome.is === "exited" ? outcome : undefined;
  const how = exited?.signal ? `was killed by ${exited.signal}` : `ended with exit code ${exited?.exitCode ?? null}`;
  return limitMessage(label, outcome) ?? `${label} ${how}.`;
}
