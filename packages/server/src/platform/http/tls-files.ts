import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type TlsOptions } from "node:tls";
import { ConfigError } from "../errors/index.ts";
import type { Log } from "../log/index.ts";

/** Where the service's own certificate, with its chain, and the key are. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** What a TLS server is made with. */
export type TlsContext = Required<Pick<TlsOptions, "cert" | "key" | "minVersion">>;

const pollMs = 10_000;

/** Reads certificate and key, and refuses what no server could use. */
export async function readTlsFiles({ certificate, key }: TlsFiles): Promise<TlsContext> {
  const [cert, secret] = await Promise.all([readPem("tls_certificate", certificate), readPem("tls_key", key)]);
  try {
    const parsed = new X509Certificate(cert);
    const privateKey = createPrivateKey(secret);
    if (!parsed.checkPrivateKey(privateKey))
      throw new ConfigError(`tls_key (${key}) is not the key of the certificate in ${certificate}.`);
    const context: TlsContext = { cert, key: secret, minVersion: "TLSv1.2" };
    createSecureContext(context);
    return context;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // Without the library's words, which may quote the files.
    throw new ConfigError(
      `tls_certificate (${certificate}) and tls_key (${key}) must be PEM files without a passphrase.`,
    );
  }
}

async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${setting} (${path}) cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

interface WatchDeps {
  readonly log: Log;
  /** Uses the new certificate for connections from now on. */
  readonly use: (context: TlsContext) => void;
}

/**
 * Looks for a renewed certificate, until the returned function is called. By polling: who renews certificates replaces files,
 * links or whole folders, and a watch on one of them misses another. A pair that does not fit yet is left for the next look.
 */
export function watchTlsFiles(files: TlsFiles, current: TlsContext, deps: WatchDeps, everyMs = pollMs): () => void {
  let used = current;
  let lastProblem = "";
  const look = async () => {
    try {
      const found = await readTlsFiles(files);
      lastProblem = "";
      if (found.cert === used.cert && found.key === used.key) return;
      deps.use(found);
      used = found;
      deps.log.info("the TLS certificate was renewed");
    } catch (error) {
      const problem = (error as Error).message;
      if (problem !== lastProblem) deps.log.warn(`${problem} The certificate in use stays.`);
      lastProblem = problem;
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}
