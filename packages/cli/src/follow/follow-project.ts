import { type Client, followToEnd, hasEnded, watchProject } from "@slipway/client";
import type { EventRecord } from "@slipway/contract";
import type { Printer } from "./printer.ts";
import type { Ending } from "./verdict.ts";

interface Deps {
  readonly client: Client;
  readonly printer: Printer;
  readonly signal: AbortSignal;
}

/** Follows a project to its end and prints its events and status. */
export async function followProject({ client, printer, signal }: Deps, projectId: string): Promise<Ending> {
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const deps = { client, printer, signal: until };
  // Ignores errors, as below.
  const background = Promise.all([printStatus(deps, projectId), printer.follow?.(until).catch(() => undefined)]);
  try {
    const events = followToEnd(client, projectId, { signal });
    let last: EventRecord | undefined;
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done) {
        done.abort();
        await background;
        const ending = { project: next.value, last };
        await printer.end(ending, signal);
        return ending;
      }
      last = next.value;
      await printer.event(next.value, signal);
    }
  } finally {
    done.abort();
    await background;
  }
}

/** Prints progress and waits, which are not events. Ignores errors: the event stream reports them. */
async function printStatus({ client, printer, signal }: Deps, projectId: string): Promise<void> {
  try {
    for await (const project of watchProject(client, projectId, { signal }))
      if (!hasEnded(project) && !signal.aborted) printer.status(project, signal);
  } catch {
    // Aborted, or the project can no longer be read.
  }
}
