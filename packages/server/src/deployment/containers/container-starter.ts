import {
  type CommandLimits,
  type CommandStarter,
  type CommandToRun,
  type ProcessLimits,
  type ProcessOptions,
  RunningCommand,
  type RunningProcess,
  runCommand,
  type Sandbox,
  thisOwner,
} from "../../platform/sandbox/index.ts";
import { type ContainerPlan, dataInside } from "./container-plan.ts";
import { askEngine, type ContainerEngine } from "./find-engine.ts";
import { type ContainerPart, installationOf, labels } from "./own-labels.ts";
import { runContainer } from "./run-container.ts";

interface Deps {
  /** Says whose files the programs of a deployment change: scripts in the sandbox change them, too. */
  readonly sandbox: Pick<Sandbox, "holdAccount" | "temporary">;
  readonly dataFolder: string;
  readonly part: ContainerPart;
}

/** Runs commands where an image is their whole file system. */
export type CommandsInContainer = CommandStarter & Pick<Sandbox, "runCommand">;

/** Starts programs of releases in containers, as the sandbox starts others. */
export class ContainerStarter {
  readonly #deps: Deps;
  readonly #engines = new Map<string, Promise<ContainerEngine>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** What starts commands in containers of an image. */
  of(plan: ContainerPlan, releaseId?: string): CommandsInContainer {
    const starter = { startProcess: (options: ProcessOptions) => this.#start(plan, releaseId, options) };
    return {
      startCommand: (toRun: CommandToRun, limits: ProcessLimits) => new RunningCommand(starter, toRun, limits),
      runCommand: (toRun: CommandToRun, limits: CommandLimits) => runCommand(starter, toRun, limits),
    };
  }

  async #start(plan: ContainerPlan, releaseId: string | undefined, options: ProcessOptions): Promise<RunningProcess> {
    const { dataFolder, part, sandbox } = this.#deps;
    const { runId, env, account } = options;
    const [data] = account?.folders ?? [];
    if (account === undefined || data === undefined) throw new Error("A container needs the data of its deployment.");
    const engine = await this.#engine(plan);
    const held = await sandbox.holdAccount(account);
    const named = { [labels.installation]: installationOf(dataFolder), [labels.part]: part };
    try {
      return await runContainer(
        {
          ...{ engine, plan, name: `slipway-${runId}-${thisOwner()}`, account: held, dataFolder: data },
          temporary: sandbox.temporary,
          labels: {
            ...named,
            [labels.deployment]: account.name,
            ...(releaseId !== undefined && { [labels.release]: releaseId }),
          },
        },
        { ...options, env: { HOME: "/tmp", ...env, SLIPWAY_DATA_DIR: dataInside } },
      );
    } catch (error) {
      held.release();
      throw error;
    }
  }

  #engine({ engine }: ContainerPlan): Promise<ContainerEngine> {
    const key = JSON.stringify(engine);
    const known = this.#engines.get(key);
    if (known !== undefined) return known;
    const asked = askEngine(engine).then((answer) => {
      if (!("missing" in answer)) return answer;
      // It may be back when the program is started again.
      this.#engines.delete(key);
      throw new Error(answer.missing);
    });
    this.#engines.set(key, asked);
    return asked;
  }
}
