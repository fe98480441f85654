import { operatorsDialler } from "../../../src/platform/network/index.ts";
import { openProviders, readProviderSettings } from "../../../src/platform/secret-providers/index.ts";
import { type FoundSecrets, lookUpSecrets } from "../../../src/platform/secrets/index.ts";
import { whenDone } from "../when-done.ts";

interface Asked {
  /** As in the operator's config file. */
  readonly declared: object;
  readonly environment?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** `secrets` of the document. */
  readonly secrets: object;
  readonly isPrivate?: boolean;
  /** How often to ask one after the other; the last answer counts. */
  readonly times?: number;
}

/** Looks up a document's secrets in a provider that an operator declared. Call it once a file, for a function. */
export function askingProviders() {
  const dialler = operatorsDialler();
  whenDone(() => dialler.close());
  return async ({
    declared,
    environment = {},
    timeoutMs,
    secrets,
    isPrivate = true,
    times = 1,
  }: Asked): Promise<FoundSecrets> => {
    const deps = { dial: dialler.fetch, environment, ...(timeoutMs !== undefined && { timeoutMs }) };
    const providers = openProviders(deps, readProviderSettings([declared], "slipway.yaml"));
    const [provider] = providers.keys();
    const document = { secrets: { provider: provider!, required: [], optional: [], ...secrets } };
    const sources = { find: (name: string) => providers.get(name), isPrivate };
    const lookUp = () => lookUpSecrets(sources, document, { id: "usr_1", name: "ada" });
    for (let before = 1; before < times; before += 1) await lookUp();
    return lookUp();
  };
}

/** The first line says which secrets are missing; the others, what to do. */
export function missingLines(provider: string, ...names: readonly string[]): string {
  return names.map((name) => `Required secret '${name}' not found in provider '${provider}'\n`).join("");
}
