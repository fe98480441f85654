import { ProviderFailure, type SecretRequest } from "../secrets/index.ts";
import type { Dial } from "./ask-json.ts";
import { narrowedPath } from "./narrowed-path.ts";
import { pickFromJson } from "./pick-values.ts";
import type { SecretFormat } from "./provider-settings.ts";

export interface CloudDeps {
  readonly dial: Dial;
  readonly timeoutMs: number;
  /** A variable of the service's environment; throws a ProviderFailure if it is not set. */
  readonly variable: (name: string) => string;
}

/** A secret manager of a cloud, which reads one secret at a time. */
export interface CloudProvider {
  /** Between the parts of a secret's id. */
  readonly separator: string;
  isName(name: string): boolean;
  /** Undefined if there is no such secret; throws a ProviderFailure. */
  readOne(id: string, request: SecretRequest): Promise<string | undefined>;
}

interface Where {
  readonly path: string;
  readonly format: SecretFormat;
}

const maxAtOnce = 8;

/** Reads a secret for each name; with the format `json` one secret, at the path, for all names. */
export async function readFromCloud(
  provider: CloudProvider,
  { path, format }: Where,
  request: SecretRequest,
): Promise<ReadonlyMap<string, string>> {
  const parts = narrowedPath(path, request);
  if (format === "json") {
    if (parts.length === 0) throw new ProviderFailure("the document must name a path: the secret that holds the map.");
    return pickFromJson(await provider.readOne(parts.join(provider.separator), request), request.names);
  }
  const found = new Map<string, string>();
  const names = request.names.filter((name) => provider.isName(name));
  for (let at = 0; at < names.length; at += maxAtOnce) {
    const some = names.slice(at, at + maxAtOnce).map(async (name) => {
      const value = await provider.readOne([...parts, name].join(provider.separator), request);
      if (value !== undefined) found.set(name, value);
    });
    await Promise.all(some);
  }
  return found;
}
