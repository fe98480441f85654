import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError, exitCode } from "../exit-code.ts";
import { serviceEntry } from "../start-service.ts";

/** What came of starting a service on a folder: it runs now, or another one has it already. */
export type Started =
  | { readonly is: "ours"; readonly service: EmbeddedService; readonly url: string }
  | { readonly is: "another"; readonly url: string };

export interface EmbeddedOptions {
  /** What the service does: everything, unless told otherwise. */
  readonly roles?: string;
  readonly signal: AbortSignal;
}

/** How often one that is just starting is asked for its address. */
const mostTries = 20;

/** Starts a service on a data folder, for as long as we need it; one that runs there already is found instead. */
export async function startEmbedded(folder: string, options: EmbeddedOptions): Promise<Started> {
  for (let tries = 1; ; tries++) {
    options.signal.throwIfAborted();
    const service = new EmbeddedService(folder, options);
    const url = await service.ready(options.signal);
    if (url !== undefined) return { is: "ours", service, url };
    options.signal.throwIfAborted();
    const refusal = readRefusal(service.errors);
    if (refusal?.url !== undefined) return { is: "another", url: refusal.url };
    if (refusal === undefined || tries === mostTries) throw service.cannotStart();
    // It has the folder, and does not listen yet.
    await delay(500, undefined, { signal: options.signal });
  }
}

/** A folder has one service; who comes second is told where the first one answers. */
function readRefusal(errors: string): { readonly url: string | undefined } | undefined {
  const told = /^slipway: The data folder .* is in use by slipway \((.*)\)\./m.exec(errors)?.[1];
  return told === undefined ? undefined : { url: told.split(", ").find((part) => /^https?:\/\//.test(part)) };
}

const mostKept = 64 * 1024;
const longestStopMs = 40_000;

/** A service in a process group of its own: a terminal's Ctrl-C is for us, and we end it when we are done. */
export class EmbeddedService {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #lost = new AbortController();
  #isStopping = false;
  /** The last of what it said on standard error. */
  errors = "";

  constructor(folder: string, { roles }: EmbeddedOptions) {
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
    // Over the channel nothing is said: its end tells the service that we are gone, however we went.
    this.#child = spawn(process.execPath, [serviceEntry(), ...args], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { SLIPWAY_LOG_LEVEL: "warn", ...process.env, SLIPWAY_LAUNCHED: "1" },
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors = (this.errors + text).slice(-mostKept);
      // Who asked for its log gets it.
      if (process.env["SLIPWAY_LOG_LEVEL"]) process.stderr.write(text);
    });
    this.#ended = once(this.#child, "close").catch(() => undefined);
    void this.#ended.then(() => {
      if (!this.#isStopping) this.#lost.abort(new CommandError(exitCode.cannotConnect, this.#obituary()));
    });
  }

  /** Aborted when it ends though nobody asked it to. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Where it answers; nothing: it ended instead. A signal that comes while it starts stops it. */
  async ready(signal: AbortSignal): Promise<string | undefined> {
    let out = "";
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = () => void this.stop();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out = (out + text).slice(-mostKept);
      const address = /^Slipway is ready at (\S+)$/m.exec(out)?.[1];
      if (address !== undefined) resolve(address);
    });
    void this.#ended.then(() => resolve(undefined));
    const address = await promise;
    signal.removeEventListener("abort", onAbort);
    return address;
  }

  /** Ends it, with everything that it started, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), longestStopMs);
    await this.#ended;
    clearTimeout(timer);
  }

  cannotStart(): CommandError {
    const code = this.#child.exitCode === exitCode.usage ? exitCode.usage : exitCode.cannotConnect;
    const told = /^slipway: (.*)$/m.exec(this.errors)?.[1];
    return new CommandError(code, told ?? `the service did not start\n${this.errors.trim()}`);
  }

  #obituary(): string {
    const { exitCode: code, signalCode } = this.#child;
    const last = this.errors.trim().split("\n").slice(-5).join("\n");
    return `the service ended unexpectedly (${signalCode ?? `exit code ${code}`})${last === "" ? "" : `:\n${last}`}`;
  }
}
