import { type Supervision, Supervisor } from "./supervisor/index.ts";

/** How the service reaches the supervisor of its data folder. */
export interface SupervisorLink {
  /** The supervisor; it is started if none runs. */
  get(): Promise<Supervision>;
  /** The supervisor, if one runs. */
  find(): Promise<Supervision | undefined>;
  /** Leaves it to itself. */
  leave(): Promise<void>;
  /** Ends it with everything that is deployed. */
  close(): Promise<void>;
}

/** The supervisor in the service's own process: what is deployed ends with it. */
export function insideSupervisor(
  deps: ConstructorParameters<typeof Supervisor>[0],
  /** Done before its first use: ends what an earlier one left. */
  prepare: () => Promise<void>,
): SupervisorLink {
  const supervisor = new Supervisor(deps);
  let prepared: Promise<void> | undefined;
  const get = async () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
    return supervisor;
  };
  const close = () => supervisor.close();
  return { get, find: get, leave: close, close };
}
