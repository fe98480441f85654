import type { Database } from "../../platform/database/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { noteMasterKeys } from "./store.ts";

/** Refuses master keys that differ from those of the database, with which all tokens would silently be invalid. */
export async function requireMasterKeys(db: Database, keyring: Keyring): Promise<void> {
  const ours = keyring.fingerprints();
  const known = await noteMasterKeys(db, ours);
  for (const [version, fingerprint] of ours) {
    if (known.get(version)?.equals(fingerprint)) continue;
    throw new ConfigError(
      `The master key of version ${version} is not the one that this database was used with. Set SLIPWAY_MASTER_KEY to that one, the same for all nodes; it is in the data folder of the node that came first.`,
    );
  }
}
