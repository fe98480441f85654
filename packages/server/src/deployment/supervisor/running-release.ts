import { freePort, type RunAccount, type Sandbox } from "../../platform/sandbox/index.ts";
import type { ContainerStarter } from "../containers/container-starter.ts";
import { KeptProgram, type StartFailure } from "./kept-program.ts";
import type { ProgramPlan, ReleasePlan } from "./release-plan.ts";

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
  readonly onOutput: (program: string, text: string) => void;
  /** Called when a program became unwell, with the reason, or well again. */
  readonly onHealth: (program: string, reason: string | undefined) => void;
}

export interface ProgramStatus {
  readonly name: string;
  readonly origin: string | null;
  readonly restarts: number;
  readonly reason: string | null;
}

/** The programs of one version of an application, kept alive. */
export class RunningRelease {
  readonly #deps: ReleaseDeps;
  readonly #programs: KeptProgram[] = [];
  /** The copies of the program that gets the requests. */
  readonly #entries: KeptProgram[] = [];
  readonly #addresses: Record<string, string> = {};
  #isReady = false;

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
    return [...this.#programs, ...this.#entries].map(({ plan, origin, restarts, reason }) => ({
      name: plan.name,
      origin: origin ?? null,
      restarts,
      reason: reason ?? null,
    }));
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
    for (const old of [...this.#entries]) {
      const failure = await this.#startOne(entry, this.#entries, signal);
      if (failure !== undefined) return failure;
      this.#entries.splice(this.#entries.indexOf(old), 1);
      await leave(old);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    const entries = this.#entries.splice(0);
    await Promise.all(entries.map((program) => program.stop()));
    for (const program of this.#programs.splice(0).toReversed()) await program.stop();
  }

  async #startOne(plan: ProgramPlan, into: KeptProgram[], signal: AbortSignal) {
    const { sandbox, containers, account, secrets, onOutput, onHealth } = this.#deps;
    const { limits, dataFolder } = this.#deps.plan;
    const port = await freePort();
    const program = new KeptProgram(
      {
        ...{ account, limits, port },
        starter: plan.container === undefined ? sandbox : containers.of(plan.container),
        env: { ...secrets, ...this.#addresses, SLIPWAY_DATA_DIR: dataFolder },
        secrets: Object.values(secrets),
        onOutput: (text) => onOutput(plan.name, text),
        onHealth: (reason) => onHealth(plan.name, reason),
      },
      plan,
    );
    into.push(program);
    const failure = await program.start(signal);
    if (failure !== undefined) {
      into.splice(into.indexOf(program), 1);
      return failure;
    }
    if (plan.addressVariable !== undefined) this.#addresses[plan.addressVariable] = `http://127.0.0.1:${port}`;
    return undefined;
  }
}
