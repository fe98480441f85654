import type { EventRecord, Project } from "@slipway/contract";
import type { Client } from "./client.ts";
import { listAll } from "./list-all.ts";
import { type WatchOptions, watchEvents } from "./watch-events.ts";

/** Whether a project is at one of its two ends. It may still be taken back from there by a command. */
export function hasEnded({ status }: Pick<Project, "status">): boolean {
  return status === "deployed" || status === "failed";
}

/** The events of a project up to its end, and the project as it is then. */
export async function* followToEnd(
  client: Client,
  projectId: string,
  options: WatchOptions = {},
): AsyncGenerator<EventRecord, Project, void> {
  const call = { params: { project_id: projectId }, signal: options.signal };
  for await (const event of watchEvents(client, projectId, options)) {
    yield event;
    if (event.event !== "project.deployed" && event.event !== "project.failed") continue;
    const project = await client.call("readProject", call);
    // Not so if it was started over since.
    if (!hasEnded(project)) continue;
    // It may have ended several times, and this event be one of the earlier ends.
    const events = listAll(
      (query) => client.call("listEvents", { ...call, query }),
      (page) => page.events,
    );
    for await (const later of events) if (later.sequence > event.sequence) yield later;
    return project;
  }
  throw new Error("A watch does not end by itself.");
}

/** Waits until a project has ended, and answers it. */
export async function waitForEnd(client: Client, projectId: string, options: WatchOptions = {}): Promise<Project> {
  const events = followToEnd(client, projectId, options);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return value;
  }
}
