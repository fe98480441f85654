import { a2aDriver } from "../drivers/a2a/index.ts";
import type { AgentDriver, AgentHost } from "../drivers/driver.ts";
import type { RegisteredRow } from "./index.ts";
import type { AgentHere } from "./runnable-agent.ts";

interface Deps {
  readonly dial: AgentHost["fetch"];
  readonly environment: NodeJS.ProcessEnv;
  /** Hands work over to workers elsewhere. */
  readonly worker: AgentDriver;
}

/** How long it may show no sign of life. */
const idleMinutes = 10;

/** An agent that somebody registered, ready to be given tasks: it works elsewhere, and nothing of it is started here. */
export function registeredAgent(row: RegisteredRow, { dial, environment, worker }: Deps): AgentHere {
  const { name, kind, capabilities, slots, url } = row;
  return {
    name,
    capabilities,
    slots: slots ?? 1,
    limits: { idleMinutes, tokens: undefined, costUsd: undefined },
    driver: kind === "worker" ? worker : a2aDriver({ url: url ?? "" }, { env: environment, fetch: dial }),
  };
}
