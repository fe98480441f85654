import { GoogleAuth } from "google-auth-library";
import { ProviderFailure } from "../secrets/index.ts";
import { askJson, notAnswered, unexpectedStatus } from "./ask-json.ts";
import type { CloudDeps, CloudProvider } from "./cloud-provider.ts";
import type { GcpSettings } from "./provider-settings.ts";

const googles = "https://secretmanager.googleapis.com";

/**
 * Google Cloud Secret Manager: the latest version of the secret `<path>-<name>`. Google's library signs in; the read itself
 * is one request, for which its client would bring gRPC along.
 */
export class GcpProvider implements CloudProvider {
  readonly separator = "-";
  readonly #settings: GcpSettings;
  readonly #deps: CloudDeps;
  readonly #auth: GoogleAuth;

  constructor(settings: GcpSettings, deps: CloudDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#auth = new GoogleAuth({
      scopes: "https://www.googleapis.com/auth/cloud-platform",
      ...(settings.keyFile !== undefined && { keyFilename: settings.keyFile }),
    });
    // A key signs its own token: one request less, and Google advises it.
    this.#auth.useJWTAccessWithScope = true;
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
      return await Promise.race([this.#auth.getRequestHeaders(), promise]);
    } catch (error) {
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
