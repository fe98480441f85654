import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../platform/errors/index.ts";
import type { AgentHost, Probe, Program } from "../driver.ts";
import type { AcpLimits } from "./acp-run.ts";
import { connectAgent, greet } from "./connect-agent.ts";
import { RecentOutput } from "./recent-output.ts";
import { withTimeout } from "./with-timeout.ts";

/** Starts the agent's program and initialises a connection, to find out whether it can be used here. */
export async function probeAgent(
  host: Pick<AgentHost, "start" | "signal" | "maskEnd">,
  program: Program,
  { answerMs }: AcpLimits,
): Promise<Probe> {
  const { start, signal } = host;
  const recentOutput = new RecentOutput();
  let process: ReturnType<typeof start> | undefined;
  const kill = () => process?.kill();
  signal.addEventListener("abort", kill, { once: true });
  try {
    signal.throwIfAborted();
    process = start(program);
    process.stderr.on("data", (chunk) => recentOutput.add(String(chunk)));
    const listener = {
      onUpdate: () => {},
      onChatter: (line: string) => recentOutput.add(`${line}\n`),
      onPermission: async () => ({ outcome: { outcome: "cancelled" as const } }),
      whenRoom: async () => {},
    };
    const greeting = await withTimeout(answerMs, "initialize", connectAgent(process, listener, greet));
    if (!greeting.isOurVersion)
      return { isUsable: false, reason: `It speaks version ${greeting.protocolVersion} of the protocol.` };
    return { isUsable: true, version: greeting.version ?? `protocol ${greeting.protocolVersion}` };
  } catch (error) {
    kill();
    // It closes the connection, too, if it is ended for what it used.
    const reason = (await process?.broken) ?? messageOf(error);
    const said = await recentOutput.told(host);
    return { isUsable: false, reason: `'${program.command}' did not answer as an agent: ${reason}${said}` };
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    // Who asked may end then, and would leave its folders behind. A disk that does not answer is not waited for.
    await Promise.race([process?.ended, delay(answerMs, undefined, { ref: false })]);
  }
}
