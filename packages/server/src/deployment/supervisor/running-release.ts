import { relative } from "node:path";
import type { CommandStarter, RunAccount, Sandbox } from "../../platform/sandbox/index.ts";
import type { Masked } from "../../platform/secrets/index.ts";
import type { ContainerStarter } from "../containers/container-starter.ts";
import { KeptProgram, type StartFailure } from "./kept-program.ts";
import type { ProgramPlan, ReleasePlan } from "./release-plan.ts";
import { tunnelStarter } from "./tunnel.ts";

/** What starts the programs of releases. */
export interface ProgramStarters {
  readonly sandbox: Pick<Sandbox, "startCommand">;
  readonly containers: Pick<ContainerStarter, "of">;
}

interface ReleaseDeps extends ProgramStarters {
  /** Whose files its programs may change. */
  readonly account: RunAccount;
  readonly plan: ReleasePlan;
  /** By name: programs find them in their environment. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly onOutput: (program: string, text: Masked) => void;
  /** Called when a program became unwell, with the reason, or well again. */
  readonly onHealth: (program: string, reason: Masked | undefined) => void;
}

export interface ProgramStatus {
  readonly name: string;
  readonly origin: string | null;
  readonly restarts: number;
  readonly reason: Masked | null;
  /** Where it listens on another machine, if it runs there. */
  readonly portThere?: number;
}

/** The programs of one version of an application, kept alive. */
export class RunningRelease {
  readonly #deps: ReleaseDeps;
  readonly #programs: KeptProgram[] = [];
  /** The copies of the program that gets the requests. */
  readonly #entries: KeptProgram[] = [];
  readonly #addresses: Record<string, string> = {};
  /** Which port on another machine each program leads to. */
  readonly #tunnelled = new Map<KeptProgram, number>();
  #isReady = false;
  readonly #isStopped = new AbortController();

  constructor(deps: ReleaseDeps) {
    this.#deps = deps;
  }

  /** Whether all its programs have been well at least once. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Where its requests go: the copies that are well. */
  get origins(): readonly string[] {
    return this.#entries.flatMap(({ origin }) => (origin === undefined ? [] : [origin]));
  }

  get programs(): readonly ProgramStatus[] {
    return [...this.#programs, ...this.#entries].map((program) => {
      const { plan, origin = null, restarts, reason = null } = program;
      const portThere = this.#tunnelled.get(program);
      return { name: plan.name, origin, restarts, reason, ...(portThere !== undefined && { portThere }) };
    });
  }

  /** Starts its programs, each after those it needs; says why, if one does not get well, after ending the others. */
  async start(signal: AbortSignal): Promise<StartFailure | undefined> {
    const { programs, replicas } = this.#deps.plan;
    try {
      for (const program of programs.slice(0, -1)) {
        const failure = await this.#startOne(program, this.#programs, signal);
        if (failure !== undefined) return failure;
      }
      const failure = await this.scale(replicas, signal);
      this.#isReady = failure === undefined;
      return failure;
    } finally {
      if (!this.#isReady) await this.stop();
    }
  }

  /** Brings the number of copies to the one wanted; says why, if another copy does not get well. */
  async scale(replicas: number, signal: AbortSignal): Promise<StartFailure | undefined> {
    const entry = this.#deps.plan.programs.at(-1)!;
    while (this.#entries.length < replicas) {
      const failure = await this.#startOne(entry, this.#entries, signal);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  /** Takes copies out, beyond the number wanted; the caller ends them when their requests are answered. */
  shrink(replicas: number): readonly KeptProgram[] {
    return this.#entries.splice(Math.max(1, replicas));
  }

  /** Starts a new copy for each, and hands over the old one when the new one is well. */
  async replaceEach(
    signal: AbortSignal,
    leave: (old: KeptProgram) => Promise<void>,
  ): Promise<StartFailure | undefined> {
    const entry = this.#deps.plan.programs.at(-1)!;
    const olds = [...this.#entries];
    // A copy elsewhere that is to be replaced still listens.
    const taken = olds.flatMap((old) => this.#tunnelled.get(old) ?? []);
    for (const old of olds) {
      const failure = await this.#startOne(entry, this.#entries, signal, taken);
      if (failure !== undefined) return failure;
      this.#entries.splice(this.#entries.indexOf(old), 1);
      await leave(old);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#isStopped.abort(new Error("The version was stopped."));
    const entries = this.#entries.splice(0);
    await Promise.all(entries.map((program) => program.stop()));
    for (const program of this.#programs.splice(0).toReversed()) await program.stop();
  }

  async #startOne(plan: ProgramPlan, into: KeptProgram[], signal: AbortSignal, taken: readonly number[] = []) {
    const { account, secrets, onOutput, onHealth } = this.#deps;
    const { folder, limits, dataFolder } = this.#deps.plan;
    // What starts from here on would not be in a list of those that were ended.
    this.#isStopped.signal.throwIfAborted();
    const inUse = into.flatMap((one) => this.#tunnelled.get(one) ?? []);
    const portThere = plan.tunnel?.ports.find((one) => !inUse.includes(one) && !taken.includes(one));
    const program = new KeptProgram(
      {
        ...{ account, limits, keepsPort: into === this.#programs },
        place: { folder, startsIn: relative(folder, plan.folder) || "." },
        starter: this.#starterOf(plan, portThere),
        env: { ...secrets, ...this.#addresses, SLIPWAY_DATA_DIR: dataFolder },
        secrets: Object.values(secrets),
        onOutput: (text) => onOutput(plan.name, text),
        onHealth: (reason) => onHealth(plan.name, reason),
      },
      plan,
    );
    if (portThere !== undefined) this.#tunnelled.set(program, portThere);
    into.push(program);
    let isStarted = false;
    try {
      const failure = await program.start(signal);
      if (failure !== undefined) return failure;
      isStarted = true;
    } finally {
      if (!isStarted) {
        // It may be out of the list already, if the version was stopped meanwhile.
        const at = into.indexOf(program);
        if (at !== -1) into.splice(at, 1);
        this.#tunnelled.delete(program);
      }
    }
    const { lastOrigin } = program;
    if (plan.addressVariable !== undefined && lastOrigin !== undefined)
      this.#addresses[plan.addressVariable] = lastOrigin;
    return undefined;
  }

  #starterOf({ container, tunnel }: ProgramPlan, portThere: number | undefined): CommandStarter {
    const { sandbox, containers } = this.#deps;
    if (tunnel !== undefined) return tunnelStarter(tunnel, portThere);
    return container === undefined ? sandbox : containers.of(container);
  }
}
