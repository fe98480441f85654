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
    const names = nameServers
      .filter(isMetadataAddress)
      .map((address) => ["to", address, "uidrange", uids, "dport", "53", "lookup", "main"]);
    await addRules(preferences.names, names);
    const metadata = metadataNetworks.map((network) => {
      // As `ip` shows it.
      const address = network.replace(/\/(32|128)$/, "");
      return ["to", address, "uidrange", uids, "prohibit"];
    });
    await addRules(preferences.metadata, metadata);
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split("\n").at(-1);
  }
}

/** The name servers of a `resolv.conf`. */
export function nameServersIn(configuration: string): string[] {
  return configuration.split("\n").flatMap((line) => /^nameserver[ \t]+([0-9A-Fa-f:.]+)/.exec(line)?.[1] ?? []);
}

type Rule = readonly string[];

/** Adds the rules that the machine does not have; every service but the first finds them all. */
async function addRules(preference: string, rules: readonly Rule[]): Promise<void> {
  const byFamily = Map.groupBy(rules, (rule) => (rule[1]!.includes(":") ? "-6" : "-4"));
  for (const [family, wanted] of byFamily) {
    const { stdout } = await run("ip", [family, "rule", "show", "pref", preference]);
    for (const rule of wanted.filter((one) => !stdout.includes(one.join(" "))))
      await run("ip", [family, "rule", "add", "pref", preference, ...rule]).catch((error: Error) => {
        // Another service on this machine added it first, or the machine has no IPv6.
        const isHarmless =
          /File exists/i.test(error.message) || (family === "-6" && /not supported/i.test(error.message));
        if (!isHarmless) throw error;
      });
  }
}
