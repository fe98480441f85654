import { once } from "node:events";
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../platform/log/index.ts";
import { spawnProgram } from "../../platform/process/index.ts";
import { type Supervision, type SupervisorEvent, SupervisorGone } from "./supervision.ts";
import { SupervisorClient } from "./supervisor-client.ts";

interface Deps {
  readonly dataFolder: string;
  /** The program and its arguments that run the supervisor of this data folder. */
  readonly command: readonly [string, ...string[]];
  readonly log: Log;
  readonly onEvent: (event: SupervisorEvent) => void;
  /** Called when the supervisor has gone without being asked to. */
  readonly onGone: () => void;
  /** How often one that owes an answer is asked for a sign of life. */
  readonly beatMs?: number;
}

/** In the data folder, where only its owner can make files. */
export const supervisorSocketName = "supervisor.sock";

const maxStartMs = 30_000;

/** The supervisor in a process of its own: found where it runs already, started where it does not. */
export class SupervisorProcess {
  readonly #deps: Deps;
  #client: Promise<SupervisorClient> | undefined;
  #isLeft = false;
  readonly #leaving = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The supervisor; it is started if none runs. */
  get(): Promise<Supervision> {
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** The supervisor, if one runs. */
  async find(): Promise<Supervision | undefined> {
    if (this.#client !== undefined) return this.#client;
    const client = await this.#connect(this.#leaving.signal);
    if (client !== undefined) this.#client = Promise.resolve(client);
    return client;
  }

  /** Leaves it to itself: it keeps alive what is deployed. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    this.#leaving.abort();
    const client = await this.#client?.catch(() => undefined);
    client?.leave();
  }

  /** Ends it with everything that is deployed. */
  async close(): Promise<void> {
    this.#isLeft = true;
    const running = await (this.#client ?? this.#connect());
    await running?.close().catch(() => undefined);
  }

  async #open(): Promise<SupervisorClient> {
    const { signal } = this.#leaving;
    const running = await this.#connect(signal);
    if (running !== undefined) return running;
    signal.throwIfAborted();
    await this.#start();
    const started = await this.#connect(signal);
    if (started === undefined) throw new SupervisorGone("The supervisor of deployed software does not answer.");
    return started;
  }

  #connect(signal?: AbortSignal): Promise<SupervisorClient | undefined> {
    const { dataFolder, onEvent, onGone, beatMs } = this.#deps;
    const path = join(dataFolder, supervisorSocketName);
    return SupervisorClient.connect(path, {
      onEvent,
      onClosed: () => {
        this.#client = undefined;
        if (!this.#isLeft) onGone();
      },
      // Without its socket nobody finds it, and it ends where it wakes up.
      onSilent: () => rmSync(path, { force: true }),
      ...(signal && { signal }),
      ...(beatMs !== undefined && { beatMs }),
    });
  }

  /** Its own session, so that neither a signal to the service's group nor a closed terminal ends it. */
  async #start(): Promise<void> {
    const { dataFolder, command, log } = this.#deps;
    const [program, ...args] = command;
    const output = await open(join(dataFolder, "supervisor.log"), "w", 0o600);
    const { PATH, HOME, LANG, TMPDIR, XDG_RUNTIME_DIR } = process.env;
    const child = spawnProgram(program, args, {
      cwd: dataFolder,
      detached: true,
      // Nothing else of the service's environment: it may hold the operator's keys.
      env: JSON.parse(JSON.stringify({ PATH, HOME, LANG, TMPDIR, XDG_RUNTIME_DIR })) as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", output.fd],
    });
    try {
      // It writes one line when it listens.
      const ready = once(child.stdout!, "data", { signal: AbortSignal.timeout(maxStartMs) });
      const ended = once(child, "exit").then(([code, killedBy]) => {
        const how = code === null ? `was ended by ${killedBy} as it started` : `ended with exit code ${code}`;
        throw new SupervisorGone(`The supervisor of deployed software ${how}: see supervisor.log.`);
      });
      await Promise.race([ready, ended, once(child, "error").then(([error]) => Promise.reject(error))]);
      log.info({ pid: child.pid }, "Started the supervisor of deployed software.");
    } finally {
      child.stdout!.destroy();
      child.unref();
      await output.close();
    }
  }
}
