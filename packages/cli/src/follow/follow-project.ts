import { type Client, followToEnd, hasEnded, watchProject } from "@slipway/client";
import type { EventRecord } from "@slipway/contract";
import type { Printer } from "./printer.ts";
import type { Ending } from "./verdict.ts";

interface Parts {
  readonly client: Client;
  readonly printer: Printer;
  readonly signal: AbortSignal;
}

/** Follows a project to its end and lets the printer tell of it. */
export async function followProject({ client, printer, signal }: Parts, projectId: string): Promise<Ending> {
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const standing = tellStanding({ client, printer, signal: until }, projectId);
  try {
    const events = followToEnd(client, projectId, { signal });
    let last: EventRecord | undefined;
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done) {
        done.abort();
        await standing;
        const ending = { project: next.value, last };
        printer.end(ending);
        return ending;
      }
      last = next.value;
      await printer.event(next.value, signal);
    }
  } finally {
    done.abort();
    await standing;
  }
}

/** Waits and progress are no events: the project itself tells them. What goes wrong here, the events tell better. */
async function tellStanding({ client, printer, signal }: Parts, projectId: string): Promise<void> {
  try {
    for await (const project of watchProject(client, projectId, { signal }))
      if (!hasEnded(project) && !signal.aborted) printer.standing(project);
  } catch {
    // It was called off, or the project is not ours to read any more.
  }
}
