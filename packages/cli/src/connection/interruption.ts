import { type ExitCode, exitCode } from "../exit-code.ts";

const signals = { SIGINT: exitCode.interrupted, SIGTERM: exitCode.terminated, SIGHUP: exitCode.hungUp } as const;

/** One Ctrl-C may arrive as several signals: from the terminal, and from each launcher that passes it on. */
const sameSignalMs = 1_000;

/** Whether the user interrupted the command. The first signal starts an orderly end; a later one exits at once. */
export class Interruption {
  readonly #controller = new AbortController();
  #code: ExitCode = exitCode.interrupted;
  #atMs = 0;

  constructor() {
    for (const [name, code] of Object.entries(signals)) process.on(name, () => this.#receive(code));
    // If the older Node that launched this process is gone, it can no longer pass signals on.
    if (process.env["SLIPWAY_LAUNCHED"] !== "1" || process.send === undefined) return;
    if (!process.connected) this.#receive(exitCode.terminated);
    process.once("disconnect", () => this.#receive(exitCode.terminated));
    process.channel?.unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get code(): ExitCode {
    return this.#code;
  }

  #receive(code: ExitCode): void {
    if (!this.signal.aborted) {
      this.#code = code;
      this.#atMs = performance.now();
      this.#controller.abort();
    } else if (performance.now() - this.#atMs > sameSignalMs) process.exit(this.#code);
  }
}
