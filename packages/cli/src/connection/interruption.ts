import { type ExitCode, exitCode } from "../exit-code.ts";

const signals = { SIGINT: exitCode.interrupted, SIGTERM: exitCode.terminated, SIGHUP: exitCode.hungUp } as const;

/** One Ctrl-C may come as several signals: from the terminal, and from each launcher that passes it on. */
const sameSignalMs = 1_000;

/** Whether somebody wants us to end. The first signal lets things end in order; one that comes later does not wait. */
export class Interruption {
  readonly #controller = new AbortController();
  #code: ExitCode = exitCode.interrupted;
  #atMs = 0;

  constructor() {
    for (const [name, code] of Object.entries(signals)) process.on(name, () => this.#take(code));
    // An older Node that started us, and is gone, cannot pass on signals any more.
    if (process.env["SLIPWAY_LAUNCHED"] !== "1" || process.send === undefined) return;
    if (!process.connected) this.#take(exitCode.terminated);
    process.once("disconnect", () => this.#take(exitCode.terminated));
    process.channel?.unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get code(): ExitCode {
    return this.#code;
  }

  #take(code: ExitCode): void {
    if (!this.signal.aborted) {
      this.#code = code;
      this.#atMs = performance.now();
      this.#controller.abort();
    } else if (performance.now() - this.#atMs > sameSignalMs) process.exit(this.#code);
  }
}
