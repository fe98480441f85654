import type { Connection } from "../connection/connect.ts";
import type { Interruption } from "../connection/interruption.ts";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { count } from "../output/quantities.ts";

/** The default time limit. */
const defaultMinutes = 30;
/** Timers cannot run longer. */
const maxMinutes = 35_000;

/** Ends a waiting command: at its time limit, or when the user interrupts it. */
export class WaitLimit {
  readonly minutes: number;
  readonly #interruption: Interruption;
  readonly #timeUp: AbortSignal;
  readonly signal: AbortSignal;

  constructor(interruption: Interruption, timeout: string | undefined) {
    this.minutes = timeout === undefined ? defaultMinutes : Number(timeout);
    if (!(this.minutes > 0 && this.minutes <= maxMinutes))
      throw new UsageError(`--timeout must be a number of minutes up to ${maxMinutes}, not '${timeout}'`);
    this.#interruption = interruption;
    this.#timeUp = AbortSignal.timeout(Math.ceil(this.minutes * 60_000));
    this.signal = AbortSignal.any([interruption.signal, this.#timeUp]);
  }

  /** The error if the limit or the user ended the wait, with what happens to the project. */
  explain(connection: Connection | undefined, projectId: string | undefined): CommandError | undefined {
    const fate = connection && projectId ? `\n${fateOf(connection, projectId)}` : "";
    if (this.#interruption.signal.aborted) return new CommandError(this.#interruption.code, `interrupted${fate}`);
    if (!this.#timeUp.aborted) return undefined;
    return new CommandError(exitCode.timedOut, `timed out after ${count(this.minutes, "minute")} (--timeout)${fate}`);
  }
}

function fateOf({ service, commandLine }: Connection, projectId: string): string {
  if (service === undefined)
    return `The project continues. To watch it: ${commandLine("projects", "watch", projectId)}`;
  const stopped = service.leavesDeployed ? "the project" : "the project and what it had deployed";
  return `The service that this command started has stopped, and ${stopped} with it. To continue: ${commandLine("serve")}`;
}
