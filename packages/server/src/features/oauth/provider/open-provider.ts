import { ProviderFailure, type SecretSources } from "../../../platform/secrets/index.ts";
import { type OauthSettings, secretReference } from "../settings.ts";
import { gitHubProvider } from "./github-provider.ts";
import { openIdProvider } from "./openid-provider.ts";
import { type Dial, type Provider, ProviderRefusal } from "./provider.ts";

interface Deps {
  readonly dial: Dial;
  readonly secretSources: () => Promise<SecretSources>;
}

/** The provider that the operator declared. */
export function openProvider(deps: Deps, settings: OauthSettings): Provider {
  const readSecret = (written: string) => lookUp(deps, settings, written);
  const { label, clientId } = settings;
  const shared = { dial: deps.dial, label, clientId, clientSecret: () => readSecret(settings.clientSecret), settings };
  return settings.kind === "github" ? gitHubProvider(shared) : openIdProvider({ ...shared, readSecret });
}

/** A text of the settings, or the secret that it refers to. */
async function lookUp({ secretSources }: Deps, settings: OauthSettings, written: string): Promise<string> {
  const name = secretReference(written);
  if (name === undefined) return written;
  const { secretProvider } = settings;
  const source = (await secretSources()).find(secretProvider);
  if (source === undefined)
    throw new ProviderRefusal(`The secret provider '${secretProvider}' is not declared.`, { isFinal: false });
  const request = { names: [name], path: undefined, region: undefined, config: undefined };
  try {
    const value = (await source.read({ ...request, owner: { id: "", name: "" } })).get(name);
    if (value !== undefined) return value.trim();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw new ProviderRefusal(`The secret provider '${secretProvider}' cannot be asked.`, {
      isFinal: false,
      cause: error,
    });
  }
  throw new ProviderRefusal(
    `Required secret '${name}' not found in provider '${secretProvider}', which signing in with ${settings.label} needs.`,
    { isFinal: false },
  );
}
