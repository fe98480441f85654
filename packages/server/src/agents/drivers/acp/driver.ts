import type { AgentDriver, AgentHost, Program } from "../driver.ts";
import { type AcpLimits, AcpRun } from "./acp-run.ts";
import { probeAgent } from "./probe-agent.ts";

/** An agent that speaks the Agent Client Protocol: how its program is started, and how long it is waited for. */
export interface AcpSettings {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The mode its session is put into; many ask for everything, or distrust our sandbox, in the one they begin with. */
  readonly mode?: string;
  readonly limits?: Partial<AcpLimits>;
}

/** What it takes to see whether the agent is there, while nobody works. */
type AcpDeps = Pick<AgentHost, "start">;

const defaults: AcpLimits = { answerMs: 60_000, cancelMs: 5_000, goodbyeMs: 1_000 };

/** Drives any agent that speaks the Agent Client Protocol over its standard streams. */
export function acpDriver(settings: AcpSettings, { start }: AcpDeps): AgentDriver {
  const { command, args = [], env, mode } = settings;
  const program: Program = { command, args, ...(env !== undefined && { env }) };
  const limits = { ...defaults, ...settings.limits };
  const agent = { program, limits, mode };
  return {
    kind: "acp",
    probe: (signal) => probeAgent({ start, signal }, program, limits),
    start: (work, host) => new AcpRun(agent, work, host),
    resume: (handle, work, host) => new AcpRun(agent, work, host, handle),
  };
}
