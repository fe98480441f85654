import type { Database } from "../../platform/database/index.ts";
import { type Keyring, ProviderFailure, type SecretProvider } from "../../platform/secrets/index.ts";
import { openValue } from "./sealed-value.ts";
import { selectValues } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly keyring: Pick<Keyring, "decrypt">;
}

/** The provider `slipway`: secrets that users set over the API, each for the documents of its owner. */
export function builtInProvider({ db, keyring }: Deps): SecretProvider {
  return {
    names: undefined,
    listedIn: "",
    isPerOwner: true,
    howToSet: (names) => `Set ${names.length === 1 ? "it" : "them"}: ${names.map(commandFor).join("; ")}`,
    unused: ({ path, region, config }) => [
      ...(path === undefined ? [] : [{ pointer: "/provider", reason: "The provider 'slipway' has no paths." }]),
      ...(region === undefined ? [] : [{ pointer: "/region", reason: "The provider 'slipway' has no regions." }]),
      ...Object.keys((config ?? {}) as object).map((key) => ({
        pointer: `/config/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        reason: "The provider 'slipway' has no settings.",
      })),
    ],
    read: async ({ names, owner }) => {
      const found = new Map<string, string>();
      for (const { owner_id, name, value } of await selectValues(db, owner.id, names)) {
        const opened = open(keyring, { ownerId: owner_id, name }, value);
        if (opened === undefined) throw new ProviderFailure(`the secret '${name}' was not stored by this service.`);
        // A user's own comes last, and wins.
        found.set(name, opened);
      }
      return found;
    },
  };
}

function commandFor(name: string): string {
  return /^[\w.-]+$/.test(name) ? `slipway secrets set ${name}` : "slipway secrets set <name>";
}

/** A value that does not decrypt was changed, or its master key is gone. */
function open(keyring: Deps["keyring"], place: Parameters<typeof openValue>[1], value: Buffer): string | undefined {
  try {
    return openValue(keyring, place, value);
  } catch (error) {
    throw new ProviderFailure(`the secret '${place.name}' cannot be decrypted; set it again.`, { cause: error });
  }
}
