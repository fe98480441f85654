import { once } from "node:events";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DeploymentStatus } from "./supervision.ts";
import { supervisorSocketName } from "./supervisor-process.ts";
import type { SupervisorMessage, SupervisorRequest } from "./supervisor-socket.ts";

/** Much longer than a supervisor needs that is not frozen. */
const maxWaitMs = 5_000;

/**
 * The deployments that a supervisor of its own keeps alive from this data folder; "unknown" if one is there and does not
 * say. It is asked without a greeting: after that it would tell here what it has to tell the service.
 */
export async function keptAlive(dataFolder: string): Promise<ReadonlySet<string> | "unknown"> {
  const socket = createConnection(join(dataFolder, supervisorSocketName));
  try {
    await once(socket, "connect");
  } catch {
    return new Set();
  }
  socket.on("error", () => undefined);
  socket.setTimeout(maxWaitMs, () => socket.destroy());
  socket.write(`${JSON.stringify({ id: 1, verb: "list" } satisfies SupervisorRequest)}\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as SupervisorMessage;
      if (!("result" in answer)) return "unknown";
      // One whose first version never started has no versions.
      const running = (answer.result as readonly DeploymentStatus[]).filter(({ releases }) => releases.length > 0);
      return new Set(running.map(({ deploymentId }) => deploymentId));
    }
    return "unknown";
  } catch {
    // It ended meanwhile, or speaks otherwise: no reason for the service not to start.
    return "unknown";
  } finally {
    socket.destroy();
  }
}
