import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { hearWhatCame } from "../../platform/hear-what-came.ts";
import { spawnProgram } from "../../platform/process/index.ts";
import {
  breachOfHeld,
  cappedOutput,
  DiskMeter,
  DiskWatch,
  type HeldAccount,
  measureCost,
  type ProcessEnd,
  type ProcessOptions,
  type ProcessOutcome,
  type RunningProcess,
} from "../../platform/sandbox/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import type { ContainerPlan } from "./container-plan.ts";
import { ContainerProcesses } from "./container-processes.ts";
import { openEnvironmentFile } from "./environment-file.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { removeContainers } from "./remove-containers.ts";
import { runArguments } from "./run-arguments.ts";
import { engineEnvironment, runEngine } from "./run-engine.ts";

interface ContainerToRun {
  readonly engine: ContainerEngine;
  readonly plan: ContainerPlan;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly account: HeldAccount;
  /** Outlives the container. */
  readonly dataFolder: string;
  readonly temporary: TemporaryFolders;
}

type Options = Pick<ProcessOptions, "command" | "env" | "limits" | "network" | "graceMs" | "signal">;

const environmentFd = 3;
const lastOutputMs = 1_000;
const openKnownMs = 1_000;
const calmMemoryMs = 250;
const tightMemoryMs = 25;
/** Whoever goes on for so long has outlived the end of one of its processes. */
const outlivedMs = 10_000;

/** Starts a container and stays attached to it; throws when the engine's program cannot be started at all. */
export async function runContainer(toRun: ContainerToRun, options: Options): Promise<RunningProcess> {
  const [program, ...before] = toRun.engine.command;
  const file = await openEnvironmentFile(toRun.temporary, options.env ?? {});
  try {
    options.signal?.throwIfAborted();
    const args = runArguments(toRun, options, `/proc/self/fd/${environmentFd}`);
    const child = spawnProgram(program, [...before, ...args], {
      ...{ cwd: "/", env: engineEnvironment(), detached: true },
      stdio: ["ignore", "pipe", "pipe", file.fd],
    });
    await once(child, "spawn");
    return new ContainerProcess({ ...toRun, child, options });
  } finally {
    // The engine's program has it open by now.
    await file.close();
  }
}

interface Deps extends ContainerToRun {
  readonly child: ChildProcess;
  readonly options: Options;
}

/** A container and everything in it, until it ends or breaks a limit. It is removed when it has ended. */
class ContainerProcess implements RunningProcess {
  readonly stdin = null;
  readonly stdout: RunningProcess["stdout"];
  readonly stderr: RunningProcess["stderr"];
  readonly ended: Promise<ProcessEnd>;
  readonly #deps: Deps;
  readonly #processes: ContainerProcesses;
  readonly #startedAtMs = performance.now();
  readonly #outcome = Promise.withResolvers<ProcessOutcome>();
  readonly #isOver = new AbortController();
  #graceMs: number;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#processes = new ContainerProcesses(deps.engine, deps.name);
    const { child, options } = deps;
    this.#graceMs = options.graceMs ?? 2_000;
    const limitBytes = options.limits.outputBytes ?? Number.POSITIVE_INFINITY;
    const onOver = () => this.#outcome.resolve({ is: "output", used: budget.usedBytes, limit: limitBytes });
    const budget: Parameters<typeof cappedOutput>[0] = {
      ...{ limitBytes, onLimit: "kill", usedBytes: 0, lastAtMs: 0, waiting: undefined, onOver, paidUntilMs: 0 },
      bytesPerSecond: options.limits.outputBytesPerSecond,
    };
    this.stdout = child.stdout!.on("error", () => {}).pipe(cappedOutput(budget));
    this.stderr = child.stderr!.on("error", () => {}).pipe(cappedOutput(budget));
    child.on("error", () => {});
    const onExit = () => this.#outcome.resolve({ is: "exited", exitCode: child.exitCode, signal: child.signalCode });
    child.once("exit", onExit);
    if (hasEnded(child)) onExit();
    this.ended = this.#live();
    this.ended.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver.signal.aborted;
  }

  async kill({ graceMs = this.#graceMs }: { graceMs?: number } = {}): Promise<void> {
    this.#graceMs = graceMs;
    this.#outcome.resolve({ is: "cancelled" });
    // One that has its grace already loses the rest.
    if (graceMs === 0) this.#deps.child.kill("SIGKILL");
    await this.ended;
  }

  async #live(): Promise<ProcessEnd> {
    const { options, account } = this.#deps;
    const { signal, limits } = options;
    const cancel = () => this.#outcome.resolve({ is: "cancelled" });
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    // A run that cannot be watched must not go on.
    for (const watch of [
      this.#watchTime(limits.wallMs),
      this.#watchData(limits.diskBytes),
      this.#watchOpen(),
      this.#watchMemory(limits.memoryBytes),
    ])
      watch.catch(this.#outcome.reject);
    try {
      const seen = await this.#outcome.promise;
      this.#isOver.abort();
      const outcome = seen.is === "exited" ? await this.#whyExited(seen) : seen;
      if (seen.is === "cancelled" || seen.is === "timeout") await this.#askToEnd();
      const wallMs = performance.now() - this.#startedAtMs;
      return { ...outcome, use: { peakMemoryBytes: 0, cpuSeconds: 0, wallMs } };
    } finally {
      signal?.removeEventListener("abort", cancel);
      await this.#remove();
      account.release();
    }
  }

  /** Lets the container end by itself within the grace; one that was never started is not there to be asked. */
  async #askToEnd(): Promise<void> {
    const { engine, name, child } = this.#deps;
    if (this.#graceMs === 0 || hasEnded(child)) return;
    const seconds = Math.ceil(this.#graceMs / 1000);
    const stopping = runEngine(engine.command, ["stop", "-t", String(seconds), name], {
      timeoutMs: this.#graceMs + 30_000,
    });
    const exited = once(child, "exit");
    // A second kill, without grace, ends the program that we are attached by.
    await Promise.race([stopping, exited]);
    // It passes on what was printed last.
    await Promise.race([exited, delay(lastOutputMs)]);
  }

  async #remove(): Promise<void> {
    const { engine, name, child } = this.#deps;
    // First what could still start it.
    if (!hasEnded(child)) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await removeContainers(engine, [name]);
  }

  /**
   * The kernel's answer to too much memory looks like any other kill, and to the shell that started the program like a failure,
   * but the kernel tells, and most engines know.
   */
  async #whyExited(outcome: ProcessOutcome & { is: "exited" }): Promise<ProcessOutcome> {
    const { engine, name, options } = this.#deps;
    const { memoryBytes } = options.limits;
    const { exitCode } = outcome;
    if (exitCode === 0 || exitCode === null) return outcome;
    const exceeded: ProcessOutcome = { is: "memory", usedBytes: memoryBytes, limitBytes: memoryBytes };
    this.#processes.lookAtMemory();
    const { killedAtMs } = this.#processes;
    const sinceKillMs = killedAtMs === undefined ? undefined : performance.now() - killedAtMs;
    if (sinceKillMs !== undefined && sinceKillMs < outlivedMs) return exceeded;
    // The engine does not know when. Whoever starts its workers again may end much later, for another reason.
    if (exitCode !== 137 && sinceKillMs !== undefined) return outcome;
    const answer = await runEngine(engine.command, ["inspect", "--format", "{{.State.OOMKilled}}", name]);
    if (!("output" in answer) || answer.output.trim() !== "true") return outcome;
    return exceeded;
  }

  async #watchTime(wallMs: number | undefined): Promise<void> {
    if (wallMs === undefined) return;
    const { signal } = this.#isOver;
    await delay(Math.min(wallMs, 2 ** 31 - 1), undefined, { signal }).catch(() => undefined);
    await hearWhatCame();
    if (!signal.aborted) this.#outcome.resolve({ is: "timeout" });
  }

  /** The rest of its files is read-only, or in memory. */
  async #watchData(limit: number): Promise<void> {
    const openFiles = async () => (await this.#processes.look()).onDisk;
    const meter = new DiskMeter({ folders: [this.#deps.dataFolder], shared: [], openFiles });
    const { signal } = this.#isOver;
    const watch = new DiskWatch(meter, limit);
    await watch.begin(signal);
    const outcome = await watch.waitUntilTooLarge(signal, () => this.#processes.cpuSeconds);
    if (outcome !== undefined) this.#outcome.resolve(outcome);
  }

  /** The kernel ends who takes too much. A container that ends with that leaves little time to see it. */
  async #watchMemory(limit: number): Promise<void> {
    const { signal } = this.#isOver;
    for (let pauseMs = calmMemoryMs; !signal.aborted; ) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      pauseMs = this.#processes.lookAtMemory() > limit / 2 ? tightMemoryMs : calmMemoryMs;
    }
  }

  /** It shares the machine's ports and open files with everybody, and with a rootless engine what the kernel gives a user of watches. */
  async #watchOpen(): Promise<void> {
    const { signal } = this.#isOver;
    for (let pauseMs = openKnownMs; !signal.aborted; ) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const cost = measureCost();
      const broken = breachOfHeld(await this.#processes.look());
      if (broken !== undefined) return this.#outcome.resolve(broken);
      // At most a twentieth of the time goes into it.
      pauseMs = Math.max(openKnownMs, 20 * cost());
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
