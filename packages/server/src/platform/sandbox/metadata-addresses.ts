import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { UidRange } from "./own-uid.ts";

/** Metadata services of clouds: they hand credentials to every process on the machine. */
const metadataAddresses = ["169.254.169.254", "168.63.129.16", "fd00:ec2::254"] as const;

const preference = "100";
const run = promisify(execFile);

/**
 * Forbids these addresses to the users of sandboxed processes by a routing rule for their uids, which also holds on the
 * host's network. Returns why it could not, or undefined.
 */
export async function forbidMetadata({ first, count }: UidRange): Promise<string | undefined> {
  const uids = `${first}-${first + count - 1}`;
  try {
    for (const address of metadataAddresses) {
      const family = address.includes(":") ? "-6" : "-4";
      const { stdout } = await run("ip", [family, "rule", "show", "pref", preference]);
      if (stdout.includes(`${address} uidrange ${uids} prohibit`)) continue;
      const rule = ["to", address, "uidrange", uids, "prohibit"];
      await run("ip", [family, "rule", "add", "pref", preference, ...rule]).catch((error: Error) => {
        // Another service on this machine added it first, or the machine has no IPv6.
        const isHarmless =
          /File exists/i.test(error.message) || (family === "-6" && /not supported/i.test(error.message));
        if (!isHarmless) throw error;
      });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split("\n").at(-1);
  }
}
