import { messageOf } from "../../platform/errors/index.ts";
import { credentialVariables, readProviderSettings } from "../../platform/secret-providers/index.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/** Checks the declared secret providers. It asks none of them: only a document says for what. */
export function* checkSecretProviders(
  { secretProviders: { declared, file } }: Pick<Config, "secretProviders">,
  environment: NodeJS.ProcessEnv,
): Generator<Finding> {
  let providers: ReturnType<typeof readProviderSettings>;
  try {
    providers = readProviderSettings(declared, file);
  } catch (error) {
    yield failed("secret_providers", messageOf(error), `Correct it in ${file}.`);
    return;
  }
  for (const settings of providers) {
    const what = `secret provider '${settings.name}'`;
    const unset = credentialVariables(settings).filter((name) => !environment[name]);
    if (unset.length === 0) yield ok(what, `is declared (${settings.kind})`);
    else yield warning(what, `not set in this environment: ${unset.join(", ")}`, "Set them where the service runs.");
  }
}
