import type { EventRecord, Project } from "@slipway/contract";
import type { Caller } from "./caller.ts";
import { listAll } from "./list-all.ts";
import { type WatchOptions, watchEvents } from "./watch-events.ts";

/** Whether a project has a final status. A command may still restart it. */
export function hasEnded({ status }: Pick<Project, "status">): boolean {
  return status === "deployed" || status === "failed";
}

/** Yields a project's events up to its end, and returns the ended project. */
export async function* followToEnd(
  caller: Caller,
  projectId: string,
  options: WatchOptions = {},
): AsyncGenerator<EventRecord, Project, void> {
  const call = { params: { project_id: projectId }, signal: options.signal };
  for await (const event of watchEvents(caller, projectId, options)) {
    yield event;
    if (event.event !== "project.deployed" && event.event !== "project.failed") continue;
    const project = await caller.call("readProject", call);
    // It may have been restarted since.
    if (!hasEnded(project)) continue;
    // A project may end several times; this event may be one of the earlier ends.
    const events = listAll(
      (query) => caller.call("listEvents", { ...call, query }),
      (page) => page.events,
    );
    for await (const later of events) if (later.sequence > event.sequence) yield later;
    return project;
  }
  throw new Error("The event stream ended unexpectedly.");
}

/** Waits until a project has ended, and returns it. */
export async function waitForEnd(caller: Caller, projectId: string, options: WatchOptions = {}): Promise<Project> {
  const events = followToEnd(caller, projectId, options);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
  }
}
