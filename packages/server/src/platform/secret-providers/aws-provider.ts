import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from "@aws-sdk/client-secrets-manager";
import { ProviderFailure, type SecretRequest, secretName } from "../secrets/index.ts";
import { notAnswered } from "./ask-json.ts";
import type { CloudDeps, CloudProvider } from "./cloud-provider.ts";
import type { AwsSettings } from "./provider-settings.ts";

/** AWS Secrets Manager: the secret `<path>/<name>`. */
export class AwsProvider implements CloudProvider {
  readonly separator = "/";
  readonly #settings: AwsSettings;
  readonly #deps: CloudDeps;
  readonly #clients = new Map<string, SecretsManagerClient>();

  constructor(settings: AwsSettings, deps: CloudDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  readonly isName = (name: string) => secretName.test(name);

  readonly readOne = async (id: string, request: SecretRequest): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(this.#deps.timeoutMs);
    try {
      const found = await this.#clientOf(request.region).send(new GetSecretValueCommand({ SecretId: id }), {
        abortSignal: signal,
      });
      return found.SecretString ?? new TextDecoder("utf-8", { fatal: true }).decode(found.SecretBinary);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw this.#failure(error, signal);
    }
  };

  #clientOf(asked: string | undefined): SecretsManagerClient {
    const { regions, url, key } = this.#settings;
    const region = asked ?? regions[0]!;
    if (!regions.includes(region))
      throw new ProviderFailure(
        `the operator has not declared the region '${region}'; there are ${regions.join(", ")}.`,
      );
    const known = this.#clients.get(region);
    if (known !== undefined) return known;
    const { timeoutMs, variable } = this.#deps;
    const client = new SecretsManagerClient({
      region,
      maxAttempts: 2,
      requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
      ...(url !== undefined && { endpoint: url }),
      // Asked for at each call, so that a variable that is not set fails the call and not the start.
      ...(key !== undefined && {
        credentials: async () => ({ accessKeyId: variable(key.idEnv), secretAccessKey: variable(key.secretEnv) }),
      }),
    });
    this.#clients.set(region, client);
    return client;
  }

  /** With the name of the error and its status: messages of AWS name roles, accounts and keys. */
  #failure(error: unknown, signal: AbortSignal): ProviderFailure {
    if (error instanceof ProviderFailure) return error;
    if (signal.aborted) return notAnswered(this.#deps.timeoutMs, error);
    if (error instanceof TypeError) return new ProviderFailure("the secret is not a text.", { cause: error });
    const { name, code } = error as { name?: string; code?: string };
    if (!(error instanceof SecretsManagerServiceException)) {
      const isTransient = name !== "CredentialsProviderError";
      return new ProviderFailure(`it cannot be reached (${code ?? name}).`, { isTransient, cause: error });
    }
    const status = error.$metadata.httpStatusCode ?? 0;
    const isTransient = status === 429 || status >= 500 || error.$retryable !== undefined;
    return new ProviderFailure(`it refused the request (${name}, ${status}).`, { isTransient, cause: error });
  }
}
