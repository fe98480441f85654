import { ClientSecretCredential, DefaultAzureCredential } from "@azure/identity";
import { SecretClient } from "@azure/keyvault-secrets";
import { ProviderFailure } from "../secrets/index.ts";
import { notAnswered } from "./ask-json.ts";
import type { CloudDeps, CloudProvider } from "./cloud-provider.ts";
import type { AzureSettings } from "./provider-settings.ts";

/** Azure Key Vault: the secret `<path>-<name>`. Its names have dashes, so `DATABASE_URL` is `DATABASE-URL` there. */
export class AzureProvider implements CloudProvider {
  readonly separator = "-";
  readonly #settings: AzureSettings;
  readonly #deps: CloudDeps;
  #client: SecretClient | undefined;

  constructor(settings: AzureSettings, deps: CloudDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  readonly isName = (name: string) => /^[A-Za-z0-9_-]{1,127}$/.test(name);

  readonly readOne = async (id: string): Promise<string | undefined> => {
    const { timeoutMs } = this.#deps;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      this.#client ??= this.#open();
      return (await this.#client.getSecret(id.replace(/[_.@]/g, "-"), { abortSignal: signal })).value;
    } catch (error) {
      const { statusCode, name, code } = error as { statusCode?: number; name?: string; code?: string };
      if (statusCode === 404 && code === "SecretNotFound") return undefined;
      if (error instanceof ProviderFailure) throw error;
      if (signal.aborted) throw notAnswered(timeoutMs, error);
      // Without their messages, which name tenants, clients and objects.
      if (statusCode === 401 || statusCode === 403 || /Authentication|Credential/.test(name ?? ""))
        throw new ProviderFailure(`it refused the operator's credentials (${statusCode ?? name}).`, { cause: error });
      const isTransient = statusCode === undefined || statusCode === 429 || statusCode >= 500;
      const how = statusCode === undefined ? "cannot be reached" : "refused the request";
      throw new ProviderFailure(`it ${how} (${code ?? statusCode ?? name}).`, { isTransient, cause: error });
    }
  };

  #open(): SecretClient {
    const { url, authority, client } = this.#settings;
    const retryOptions = { maxRetries: 1 };
    // A cloud of the operator's own is in no list of Microsoft's.
    const own = authority === undefined ? {} : { authorityHost: authority, disableInstanceDiscovery: true };
    const options = { ...own, retryOptions };
    const credential =
      client === undefined
        ? new DefaultAzureCredential(options)
        : new ClientSecretCredential(client.tenantId, client.clientId, this.#deps.variable(client.secretEnv), options);
    return new SecretClient(url, credential, {
      retryOptions,
      disableChallengeResourceVerification: authority !== undefined,
    });
  }
}
