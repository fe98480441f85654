import { type ArtifactCalls, artifactCalls } from "./artifact-calls.ts";
import type { Arguments, Item, ListName } from "./call-types.ts";
import { type Caller, type ClientOptions, createCaller } from "./caller.ts";
import { listItems } from "./list-items.ts";
import { type ProjectCalls, projectCalls } from "./project-calls.ts";

/** A client of a service: `call` for every endpoint, and what is more than one call. */
export interface Client extends Caller {
  readonly projects: ProjectCalls;
  readonly artifacts: ArtifactCalls;
  /** Yields every item of a list, such as `listProjects`; reads the next page when it is needed. */
  list<N extends ListName>(name: N, ...options: Arguments<N>): AsyncGenerator<Item<N>, void, void>;
}

/** Creates a client of the service at an address. */
export function createClient(options: ClientOptions): Client {
  const caller = createCaller(options);
  return {
    ...caller,
    projects: projectCalls(caller),
    artifacts: artifactCalls(caller),
    list: (name, ...given) => listItems(caller, name, ...given),
  };
}
