import type { SecretSources } from "../../platform/secrets/index.ts";
import { openProvider } from "./provider/index.ts";
import { readOauthSettings } from "./settings.ts";
import type { OpenedProvider } from "./sign-in.ts";

interface Deps {
  readonly dial: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly secretSources: () => Promise<SecretSources>;
}

/** The providers that `oauth` in the config file declares, by name. Throws a ConfigError. */
export function openProviders(deps: Deps, declared: unknown, file: string): ReadonlyMap<string, OpenedProvider> {
  return new Map(
    readOauthSettings(declared, file).map((settings) => [
      settings.name,
      { settings, provider: openProvider(deps, settings) },
    ]),
  );
}
