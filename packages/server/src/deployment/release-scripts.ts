import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import type { Containers } from "./containers/index.ts";
import type { OpenRelease, ToGoLive } from "./open-release.ts";
import { findRelease, noteMigrated, type ReleaseRow } from "./release-store.ts";
import { rollbackEnv } from "./run-rollback-script.ts";
import { type RunScript, runDeploymentScript, runHealthCheck, type ScriptToRun } from "./run-scripts.ts";
import type { Supervision } from "./supervisor/index.ts";
import type { ReleaseToRun } from "./take-over.ts";

export interface ScriptDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly containers: Pick<Containers, "scriptsIn">;
  readonly minuteMs: number;
  readonly maxDiskBytes: number;
}

interface Version {
  readonly release: OpenRelease;
  readonly toGoLive: ToGoLive;
  readonly dataFolder: string;
  /** The version that is live now. */
  readonly before: ReleaseRow | undefined;
  readonly onStep: (what: string) => void;
}

/** The scripts of a version that goes live: each runs where the version does. */
export class ReleaseScripts {
  readonly #deps: ScriptDeps;
  readonly #version: Version;
  /** On this machine, until it is known where the version runs. */
  #run: RunScript;

  constructor(deps: ScriptDeps, version: Version) {
    this.#deps = deps;
    this.#version = version;
    this.#run = (script) => runDeploymentScript(deps.sandbox, script);
  }

  /** From now on scripts run where the programs of this plan do. */
  runAt(supervision: Supervision, release: Omit<ReleaseToRun, "secrets"> & { readonly deploymentId: string }): void {
    this.#run =
      supervision.runScript === undefined
        ? (script) => this.#runHere(release, script)
        : (script) => runThere(supervision.runScript!.bind(supervision), release, script);
  }

  /** Runs `scripts.deploy`; says why it failed. */
  deploy(command: string): Promise<string | undefined> {
    return this.#run(this.#scriptOf("deploy", command));
  }

  /** Runs `scripts.migrate`, once for the version; says why it failed. */
  async migrate(): Promise<string | undefined> {
    const { db, clock } = this.#deps;
    const { release, toGoLive, onStep } = this.#version;
    const command = toGoLive.scripts.migrate;
    if (command === undefined) return undefined;
    const { releaseId } = release;
    if (!(await findRelease(db, releaseId))?.migrated_at) {
      const failure = await this.#run(this.#scriptOf("migrate", command));
      if (failure !== undefined) return failure;
      await noteMigrated(db, releaseId, clock.now());
    }
    onStep("migrated");
    return undefined;
  }

  /** What `scripts.health_check` says of a copy that runs; undefined if it is content, or there is none. */
  async whyUnhealthy(origin: string): Promise<string | undefined> {
    const check = this.#version.toGoLive.scripts.health_check;
    return check === undefined ? undefined : runHealthCheck(this.#run, origin, this.#scriptOf("health_check", check));
  }

  /** A script has changed something outside of the version's folder: `scripts.rollback` undoes it, where there is one. */
  async undo(failure: string): Promise<{ failure: string }> {
    const { release, toGoLive, before, dataFolder, onStep } = this.#version;
    const { environment, scripts } = toGoLive;
    if (scripts.rollback === undefined) return { failure };
    const own = { id: release.releaseId, version: release.version };
    const env = rollbackEnv({ release: own, other: before, environment, dataFolder });
    const why = await this.#run({ ...this.#scriptOf("rollback", scripts.rollback), env });
    onStep(why === undefined ? "ran scripts.rollback" : "scripts.rollback failed");
    return { failure: why === undefined ? failure : `${failure} Then ${why}` };
  }

  /** Migrations of what runs in a container need its programs; a health check only asks. */
  #runHere({ releaseId, plan }: Omit<ReleaseToRun, "secrets">, script: ScriptToRun): Promise<string | undefined> {
    const { sandbox, containers } = this.#deps;
    const container = plan.programs.at(-1)?.container;
    const isInside = container !== undefined && script.name === "migrate";
    return runDeploymentScript(isInside ? containers.scriptsIn(container, releaseId) : sandbox, script);
  }

  #scriptOf(name: ScriptToRun["name"], command: string): ScriptToRun {
    const { release, toGoLive, dataFolder } = this.#version;
    const { deploymentId, releaseId, version, folder } = release;
    const { document, environment, secrets, signal, openLog } = toGoLive;
    const { minuteMs, maxDiskBytes } = this.#deps;
    return {
      ...{ name, command, document, folder, secrets, signal, openLog },
      account: { name: deploymentId, folders: [dataFolder] },
      env: {
        SLIPWAY_VERSION: version,
        SLIPWAY_RELEASE: releaseId,
        SLIPWAY_ENVIRONMENT: environment,
        SLIPWAY_DATA_DIR: dataFolder,
      },
      ...{ limitMs: document.timeouts.implementation_minutes * minuteMs, maxDiskBytes },
    };
  }
}

async function runThere(
  runScript: NonNullable<Supervision["runScript"]>,
  release: Omit<ReleaseToRun, "secrets"> & { readonly deploymentId: string },
  { name, command, env, secrets, limitMs, signal, openLog }: ScriptToRun,
): Promise<string | undefined> {
  // Of this machine.
  const { SLIPWAY_DATA_DIR: _, ...others } = env;
  const log = openLog(name);
  log.write(`$ ${command}\n`);
  try {
    return await runScript({ ...release, secrets, name, command, env: others, limitMs, onOutput: log.write }, signal);
  } finally {
    log.end();
  }
}
