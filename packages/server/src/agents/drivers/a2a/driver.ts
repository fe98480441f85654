import { type NetworkLimits, networkLimits } from "../../../platform/network/index.ts";
import type { AgentDriver, AgentHost, AgentRun, AgentWork, Probe } from "../driver.ts";
import { failed, failedRun } from "../failed-report.ts";
import { a2aFetch } from "./a2a-fetch.ts";
import { type A2aLimits, A2aRun, type RemoteAgent } from "./a2a-run.ts";
import { connect } from "./connect.ts";

export interface A2aSettings {
  /** The agent's address; its card is below it, or at it if the address ends with `.json`. */
  readonly url: string;
  /** The environment variable that holds the key; absent if the agent needs none. */
  readonly keyEnv?: string;
  readonly limits?: Partial<A2aLimits>;
  /** Overrides what the project's document says. */
  readonly network?: Partial<NetworkLimits>;
}

interface A2aDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the agent's card for a probe, outside of any run. */
  readonly fetch: AgentHost["fetch"];
}

const defaults: A2aLimits = { pollMs: 1_000, cancelMs: 5_000 };
const probeNetwork: NetworkLimits = { connectSeconds: 5, readSeconds: 10, maxAttempts: 1, backoffFactor: 1 };

/** Drives a remote agent by the Agent2Agent protocol. */
export function a2aDriver(settings: A2aSettings, { env, fetch }: A2aDeps): AgentDriver {
  const { url, keyEnv } = settings;
  const findAgent = (through: AgentHost["fetch"], network: NetworkLimits): RemoteAgent | undefined => {
    const key = keyEnv === undefined ? undefined : env[keyEnv]?.trim();
    if (keyEnv !== undefined && !key) return undefined;
    const proxy = { origin: new URL(url).origin, key };
    const limits = { ...defaults, ...settings.limits };
    return { url, fetch: a2aFetch(through, network, proxy), network, limits };
  };
  const noKey = `The agent's key is missing: the variable ${keyEnv} is not set where the service runs.`;
  const begin = (work: AgentWork, host: AgentHost, handle?: string): AgentRun => {
    const network = networkLimits(settings.network ?? {}, work.document);
    const agent = findAgent((to, init) => host.fetch(to, init), network);
    if (agent === undefined) return failedRun(failed("agent_key", noKey));
    return new A2aRun(agent, work, host, handle);
  };
  return {
    kind: "a2a",
    probe: async (signal) => {
      const agent = findAgent(fetch, { ...probeNetwork, ...settings.network });
      return agent === undefined ? { isUsable: false, reason: noKey } : probe(agent, signal);
    },
    start: (work, host) => begin(work, host),
    resume: (handle, work, host) => begin(work, host, handle),
  };
}

async function probe({ url, fetch }: RemoteAgent, signal: AbortSignal): Promise<Probe> {
  try {
    const { card } = await connect(url, fetch, signal);
    return { isUsable: true, version: [card.name, card.version].filter(Boolean).join(" ") };
  } catch (error) {
    return { isUsable: false, reason: (error as Error).message };
  }
}
