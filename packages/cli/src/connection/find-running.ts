import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Much longer than a service that lives needs: one that is stuck is left to whoever starts the next. */
const maxWaitMs = 2_000;

/** The address of the service that runs on a data folder; undefined if none answers there. */
export async function findRunning(folder: string): Promise<string | undefined> {
  const socket = connect(join(folder, "service.sock"));
  socket.setTimeout(maxWaitMs, () => socket.destroy());
  try {
    const address = (await text(socket)).trim();
    return /^https?:\/\/\S+$/.test(address) ? address : undefined;
  } catch {
    return undefined;
  }
}
