import type { Project } from "@slipway/contract";
import type { Caller } from "./caller.ts";
import { resumingStream, type StreamOptions } from "./resuming-stream.ts";

/** What happens to the projects of a list. After `ready`, anything may have changed: read the list again. */
export type ProjectChange =
  | { readonly kind: "ready" }
  | { readonly kind: "project"; readonly project: Project }
  | { readonly kind: "gone"; readonly projectId: string };

/** Yields the changes of all projects that the caller's list has, from now on. It never ends by itself. */
export function watchProjects(caller: Caller, options: StreamOptions = {}): AsyncGenerator<ProjectChange, never, void> {
  return resumingStream(
    caller,
    {
      after: "",
      // Each connection counts anew and begins with `ready`: nothing is a repeat.
      isKnown: () => false,
      open: (call) => caller.send("listProjects", call),
      read: ({ event, data }): ProjectChange | undefined => {
        if (event === "ready") return { kind: "ready" };
        if (event === "project") return { kind: "project", project: JSON.parse(data) as Project };
        if (event === "gone")
          return { kind: "gone", projectId: (JSON.parse(data) as { project_id: string }).project_id };
        return undefined;
      },
    },
    options,
  );
}
