import { readFile } from "node:fs/promises";
import { GoogleAuth, JWT } from "google-auth-library";
import { ProviderFailure } from "../secrets/index.ts";
import { askJson, notAnswered, unexpectedStatus } from "./ask-json.ts";
import type { CloudDeps, CloudProvider } from "./cloud-provider.ts";
import type { GcpSettings } from "./provider-settings.ts";

const googles = "https://secretmanager.googleapis.com";
const scopes = "https://www.googleapis.com/auth/cloud-platform";

/**
 * Google Cloud Secret Manager: the latest version of the secret `<path>-<name>`. Google's library signs in; the read itself
 * is one request, for which its client would bring gRPC along.
 */
export class GcpProvider implements CloudProvider {
  readonly separator = "-";
  readonly #settings: GcpSettings;
  readonly #deps: CloudDeps;
  #signer: Promise<GoogleAuth | JWT> | undefined;

  constructor(settings: GcpSettings, deps: CloudDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  readonly isName = (name: string) => /^[A-Za-z0-9_-]{1,255}$/.test(name);

  readonly readOne = async (id: string): Promise<string | undefined> => {
    const { project, url = googles } = this.#settings;
    const { dial, timeoutMs } = this.#deps;
    const headers = await this.#signIn();
    const path = `/v1/projects/${project}/secrets/${encodeURIComponent(id)}/versions/latest:access`;
    const { status, body } = await askJson(dial, `${url}${path}`, { headers }, timeoutMs);
    if (status === 404) return undefined;
    if (status === 401 || status === 403)
      throw new ProviderFailure(`it refused the operator's credentials (${status}).`);
    if (status !== 200) throw unexpectedStatus(status);
    const data = (body as { payload?: { data?: unknown } } | null)?.payload?.data;
    if (typeof data !== "string") throw new ProviderFailure("its answer holds no secret.");
    return Buffer.from(data, "base64").toString("utf8");
  };

  /** The reason by its code only: messages name files and accounts. */
  async #signIn(): Promise<Headers> {
    const { timeoutMs } = this.#deps;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(notAnswered(timeoutMs, undefined)), timeoutMs);
    try {
      this.#signer ??= openSigner(this.#settings.keyFile);
      const headers = this.#signer.then((signer) => signer.getRequestHeaders());
      return await Promise.race([headers, promise]);
    } catch (error) {
      // The file may be there, or be another one, the next time.
      this.#signer = undefined;
      if (error instanceof ProviderFailure) throw error;
      const { code, status, name } = error as { code?: unknown; status?: unknown; name?: string };
      throw new ProviderFailure(
        `the operator's credentials for Google Cloud do not work (${code ?? status ?? name}).`,
        {
          cause: error,
        },
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** With a key file, the service account; without, Google's usual chain of credentials. */
async function openSigner(keyFile: string | undefined): Promise<GoogleAuth | JWT> {
  if (keyFile === undefined) return new GoogleAuth({ scopes });
  const { client_email, private_key, private_key_id } = JSON.parse(await readFile(keyFile, "utf8")) as KeyFile;
  const jwt = new JWT({ email: client_email, key: private_key, keyId: private_key_id, scopes });
  // The key signs the token itself: one request less, and Google advises it.
  jwt.useJWTAccessWithScope = true;
  return jwt;
}

/** What Google gives out for a service account. */
interface KeyFile {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id: string;
}
