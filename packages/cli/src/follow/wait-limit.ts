import type { Connection } from "../connection/connect.ts";
import type { Interruption } from "../connection/interruption.ts";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";

/** Waits end after this, unless told otherwise. */
const usualMinutes = 30;
/** More than timers can. */
const mostMinutes = 35_000;

/** What ends a command that waits: its time is up, or somebody interrupts it. */
export class WaitLimit {
  readonly minutes: number;
  readonly #interruption: Interruption;
  readonly #timeUp: AbortSignal;
  readonly signal: AbortSignal;

  constructor(interruption: Interruption, timeout: string | undefined) {
    this.minutes = timeout === undefined ? usualMinutes : Number(timeout);
    if (!(this.minutes > 0 && this.minutes <= mostMinutes))
      throw new UsageError(`--timeout must be a number of minutes, up to ${mostMinutes}; it is '${timeout}'`);
    this.#interruption = interruption;
    this.#timeUp = AbortSignal.timeout(this.minutes * 60_000);
    this.signal = AbortSignal.any([interruption.signal, this.#timeUp]);
  }

  /** Why the wait ended, if it was one of these; with what becomes of the project. */
  explain(connection: Connection | undefined, projectId: string | undefined): CommandError | undefined {
    const fate = connection && projectId ? `\n${fateOf(connection, projectId)}` : "";
    if (this.#interruption.signal.aborted) return new CommandError(this.#interruption.code, `interrupted${fate}`);
    if (!this.#timeUp.aborted) return undefined;
    return new CommandError(exitCode.timedOut, `not done after ${this.minutes} minutes (--timeout)${fate}`);
  }
}

function fateOf({ service, commandLine }: Connection, projectId: string): string {
  if (service === undefined) return `The project goes on: ${commandLine("projects", "watch", projectId)}`;
  return `The service was ours and is stopped, and the project with it. It goes on with: ${commandLine("serve")}`;
}
