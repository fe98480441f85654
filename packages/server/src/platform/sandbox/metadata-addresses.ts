import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { UidRange } from "./own-uid.ts";

/** Where clouds hand out credentials to whoever asks from the machine. */
const metadataAddresses = ["169.254.169.254", "168.63.129.16", "fd00:ec2::254"] as const;

const preference = "100";
const run = promisify(execFile);

/**
 * Forbids these addresses to all users of contained runs, by a routing rule for their numbers; it holds on the host's own
 * network too. Says why it could not.
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
        // Another service on this machine was quicker; or there is no IPv6 here, and so no way there.
        const isNoMatter =
          /File exists/i.test(error.message) || (family === "-6" && /not supported/i.test(error.message));
        if (!isNoMatter) throw error;
      });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split("\n").at(-1);
  }
}
