import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError, exitCode } from "../exit-code.ts";
import { serviceEntry } from "../start-service.ts";
import { findRunning } from "./find-running.ts";

/** A service on a folder: ours, or another that used the folder already. */
export interface Started {
  readonly url: string;
  readonly service?: EmbeddedService;
}

export interface EmbeddedOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The service's roles; all by default. */
  readonly roles?: string;
  readonly signal: AbortSignal;
}

/** How often to wait for another service that is still starting. */
const maxTries = 20;

/** Starts a service on a data folder until it is stopped; finds the one that came before it instead. */
export async function startEmbedded(folder: string, options: EmbeddedOptions): Promise<Started> {
  for (let tries = 1; ; tries++) {
    options.signal.throwIfAborted();
    const service = new EmbeddedService(folder, options);
    const url = await service.ready(options.signal);
    // One with a certificate of its own tells commands of this machine another address: the certificate is for its name.
    if (url?.startsWith("https:")) return { service, url: (await findRunning(folder)) ?? url };
    if (url !== undefined) return { service, url };
    options.signal.throwIfAborted();
    const refusal = readRefusal(service.errors);
    if (refusal?.url !== undefined) return { url: refusal.url };
    if (refusal === undefined || tries === maxTries) throw service.cannotStart();
    // The other service uses the folder, but does not listen yet.
    await delay(500, undefined, { signal: options.signal });
  }
}

/** A data folder has one service; a second one exits with the address of the first. */
function readRefusal(errors: string): { readonly url: string | undefined } | undefined {
  const owner = /^slipway: The data folder .* is in use by slipway \((.*)\)\./m.exec(errors)?.[1];
  return owner === undefined ? undefined : { url: owner.split(", ").find((part) => /^https?:\/\//.test(part)) };
}

const maxOutputLength = 64 * 1024;
const maxStopMs = 40_000;

/** A service in its own process group: Ctrl-C reaches only this process, which then stops the service. */
export class EmbeddedService {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #lost = new AbortController();
  #isStopping = false;
  #leavesDeployed = false;
  /** The end of its standard error. */
  errors = "";

  constructor(folder: string, { roles, env }: EmbeddedOptions) {
    const args = [
      "serve",
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      "--data",
      folder,
      ...(roles ? ["--roles", roles] : []),
    ];
    // The channel carries no messages: when it closes, the service knows that this process is gone.
    this.#child = spawn(process.execPath, [serviceEntry(), ...args], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // What it deploys ends with it, as the command says, unless there is software that outlives services already: then
      // all of it does. One that only answers leaves what runs to its supervisor.
      env: {
        SLIPWAY_LOG_LEVEL: "warn",
        ...env,
        ...(roles ? {} : { SLIPWAY_SUPERVISOR: "inside" }),
        SLIPWAY_LAUNCHED: "1",
      },
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-maxOutputLength);
      // With SLIPWAY_LOG_LEVEL the user wants to see the log.
      if (env["SLIPWAY_LOG_LEVEL"]) process.stderr.write(text);
    });
    this.#ended = once(this.#child, "close").catch(() => undefined);
    void this.#ended.then(() => {
      if (!this.#isStopping) this.#lost.abort(new CommandError(exitCode.cannotConnect, this.#exitMessage()));
    });
  }

  /** Aborts when the service ends unexpectedly. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** What is deployed goes on without it; known once it is ready. */
  get leavesDeployed(): boolean {
    return this.#leavesDeployed;
  }

  /** Its address once it is ready; undefined if it ended instead. The signal stops it while it starts. */
  async ready(signal: AbortSignal): Promise<string | undefined> {
    let out = "";
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = () => void this.stop();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out = (out + text).slice(-maxOutputLength);
      this.#leavesDeployed = /^What is deployed goes on without this service\.$/m.test(out);
      const address = /^Slipway is ready at (\S+)$/m.exec(out)?.[1];
      if (address !== undefined) resolve(address);
    });
    void this.#ended.then(() => resolve(undefined));
    const address = await promise;
    signal.removeEventListener("abort", onAbort);
    return address;
  }

  /** Stops the service and what ends with it, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), maxStopMs);
    await this.#ended;
    clearTimeout(timer);
  }

  cannotStart(): CommandError {
    const code = this.#child.exitCode === exitCode.usage ? exitCode.usage : exitCode.cannotConnect;
    const message = /^slipway: (.*)$/m.exec(this.errors)?.[1];
    return new CommandError(code, message ?? `the service did not start\n${this.errors.trim()}`);
  }

  #exitMessage(): string {
    const { exitCode: code, signalCode } = this.#child;
    const last = this.errors.trim().split("\n").slice(-5).join("\n");
    return `the service ended unexpectedly (${signalCode ?? `exit code ${code}`})${last === "" ? "" : `:\n${last}`}`;
  }
}
