import type { AgentDriver, AgentHost, Program } from "../driver.ts";
import { type AcpLimits, AcpRun } from "./acp-run.ts";
import { probeAgent } from "./probe-agent.ts";

export interface AcpSettings {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The mode of its session; in their default mode many agents ask for everything, or distrust our sandbox. */
  readonly mode?: string;
  readonly limits?: Partial<AcpLimits>;
}

/** Starts the program for a probe, outside of any run. */
type AcpDeps = Pick<AgentHost, "start" | "maskEnd">;

const defaults: AcpLimits = { answerMs: 60_000, cancelMs: 5_000, exitGraceMs: 1_000 };

/** Drives any agent that speaks the Agent Client Protocol over its standard streams. */
export function acpDriver(settings: AcpSettings, { start, maskEnd }: AcpDeps): AgentDriver {
  const { command, args = [], env, mode } = settings;
  const program: Program = { command, args, ...(env !== undefined && { env }) };
  const limits = { ...defaults, ...settings.limits };
  const agent = { program, limits, mode };
  return {
    kind: "acp",
    probe: (signal) => probeAgent({ start, maskEnd, signal }, program, limits),
    start: (work, host) => new AcpRun(agent, work, host),
    resume: (handle, work, host) => new AcpRun(agent, work, host, handle),
  };
}
