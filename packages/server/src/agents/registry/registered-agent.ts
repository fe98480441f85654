import { a2aDriver } from "../drivers/a2a/index.ts";
import type { AgentDriver, AgentHost } from "../drivers/driver.ts";
import { addressIdentity } from "./declared-agent.ts";
import type { RegisteredRow } from "./presence-store.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

interface Deps {
  readonly dial: AgentHost["fetch"];
  readonly environment: NodeJS.ProcessEnv;
  /** Drives workers on other machines. */
  readonly worker: AgentDriver;
}

const idleMinutes = 10;

/** Makes a registered agent runnable: it works on another machine, and this node starts none of its programs. */
export function registeredAgent(row: RegisteredRow, { dial, environment, worker }: Deps): RunnableAgent {
  const { name, kind, capabilities, slots, url } = row;
  return {
    name,
    capabilities,
    slots: slots ?? 1,
    ...(url !== null && kind !== "worker" && { identity: addressIdentity(url) }),
    limits: { idleMinutes, tokens: undefined, costUsd: undefined },
    driver: kind === "worker" ? worker : a2aDriver({ url: url ?? "" }, { env: environment, fetch: dial }),
  };
}
