import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

const codes = { SIGINT: exitCode.interrupted, SIGTERM: exitCode.terminated, SIGHUP: exitCode.hungUp } as const;

/** One Ctrl-C may arrive as several signals: from the terminal, and from each launcher that passes it on. */
const sameSignalMs = 1_000;

/** Whether the user interrupted the command. The first signal starts an orderly end; a later one exits at once. */
export class Interruption {
  readonly #controller = new AbortController();
  #code: ExitCode = exitCode.interrupted;
  #atMs = 0;

  constructor(terminal: Terminal) {
    terminal.onSignal((signal) => this.#receive(codes[signal]));
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
