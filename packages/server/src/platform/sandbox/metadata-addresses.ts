import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isMetadataAddress, metadataNetworks } from "../network/index.ts";
import type { UidRange } from "./own-uid.ts";

/** The rule with the smaller number counts. */
const preferences = { names: "99", metadata: "100" };
const run = promisify(execFile);

/**
 * Forbids the metadata services of clouds to the users of sandboxed processes by a routing rule for their uids, which also
 * holds on the host's network. Returns why it could not, or undefined.
 */
export async function forbidMetadata(
  { first, count }: UidRange,
  nameServers: readonly string[],
): Promise<string | undefined> {
  const uids = `${first}-${first + count - 1}`;
  try {
    // Some clouds resolve names at such an address; on that port there are no credentials.
    for (const address of nameServers.filter(isMetadataAddress))
      await addRule(preferences.names, ["to", address, "uidrange", uids, "dport", "53", "lookup", "main"]);
    for (const network of metadataNetworks) {
      // As `ip` shows it.
      const address = network.replace(/\/(32|128)$/, "");
      await addRule(preferences.metadata, ["to", address, "uidrange", uids, "prohibit"]);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split("\n").at(-1);
  }
}

/** The name servers of a `resolv.conf`. */
export function nameServersIn(configuration: string): string[] {
  return configuration.split("\n").flatMap((line) => /^nameserver[ \t]+([0-9A-Fa-f:.]+)/.exec(line)?.[1] ?? []);
}

async function addRule(preference: string, rule: readonly string[]): Promise<void> {
  const family = rule[1]!.includes(":") ? "-6" : "-4";
  const { stdout } = await run("ip", [family, "rule", "show", "pref", preference]);
  if (stdout.includes(rule.join(" "))) return;
  await run("ip", [family, "rule", "add", "pref", preference, ...rule]).catch((error: Error) => {
    // Another service on this machine added it first, or the machine has no IPv6.
    const isHarmless = /File exists/i.test(error.message) || (family === "-6" && /not supported/i.test(error.message));
    if (!isHarmless) throw error;
  });
}
