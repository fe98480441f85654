import type { CreatedProject, EventRecord, Project } from "@slipway/contract";
import type { CallOptions } from "./call-types.ts";
import type { Caller } from "./caller.ts";
import { waitForEnd } from "./follow-to-end.ts";
import { listItems } from "./list-items.ts";
import { type WatchOptions, watchEvents } from "./watch-events.ts";

type Limits = Pick<CallOptions<"readProject">, "signal" | "timeoutMs">;
type CreateQuery = Omit<NonNullable<CallOptions<"createProject">["query"]>, "dry_run">;
type ListQuery = NonNullable<CallOptions<"listProjects">["query"]>;

/** What programs do with projects most often; `call` has the rest. */
export interface ProjectCalls {
  /** Creates a project from a document in YAML. */
  create(document: CallOptions<"createProject">["document"], options?: Limits & CreateQuery): Promise<CreatedProject>;
  read(projectId: string, options?: Limits): Promise<Project>;
  /** Yields every project that matches, newest first. */
  list(options?: Limits & ListQuery): AsyncGenerator<Project, void, void>;
  /** Waits until a project is deployed or has failed, and returns it. */
  wait(projectId: string, options?: WatchOptions): Promise<Project>;
  /** Yields a project's events, each once and in order: past events, then new ones. It never ends by itself. */
  watch(projectId: string, options?: WatchOptions): AsyncGenerator<EventRecord, never, void>;
}

/** The calls of projects. */
export function projectCalls(caller: Caller): ProjectCalls {
  return {
    create: async (document, { signal, timeoutMs, ...query } = {}) =>
      // Without `dry_run` the answer is a project.
      (await caller.call("createProject", { document, query, signal, timeoutMs })) as CreatedProject,
    read: (project_id, options) => caller.call("readProject", { params: { project_id }, ...options }),
    list: ({ signal, timeoutMs, ...query } = {}) => listItems(caller, "listProjects", { query, signal, timeoutMs }),
    wait: (projectId, options) => waitForEnd(caller, projectId, options),
    watch: (projectId, options) => watchEvents(caller, projectId, options),
  };
}
