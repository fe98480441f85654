import { type ProjectChange, watchProjects } from "@slipway/client";
import { client } from "./client.ts";
import { followStream } from "./follow-stream.ts";
import { outdate } from "./query-cache.ts";
import { throttled } from "./throttle.ts";

type Listener = (change: ProjectChange) => void;

const listeners = new Set<Listener>();

/** A page of a project reads six answers: more often than this would use up what a caller may ask in a minute. */
const outdateProject = throttled((id) => outdate(`project/${id}`), 1_500);

/** What is shown of several projects at once: any of them may have changed it. */
const shared = ["approvals", "agents", "applications", "webhooks/list", "installation"];
const outdateShared = throttled(() => {
  for (const prefix of shared) outdate(prefix);
}, 3_000);

/** Calls back at each change of a project. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows all projects by one stream. */
export function goLive(): () => void {
  return followStream(
    (options) => watchProjects(client, options),
    (change) => {
      if (change.kind === "ready") outdate("");
      else {
        outdateProject(change.kind === "gone" ? change.projectId : change.project.project_id);
        outdateShared("");
      }
      for (const listener of [...listeners]) listener(change);
    },
  );
}
