/** A parsed `secrets.provider`: `vault://teams/shop` is the path `teams/shop` in `vault`. */
export interface SecretProvider {
  readonly name: string;
  readonly path?: string;
}

/** Reads `secrets.provider`. `env`, `environment` and `env://local` are one provider. */
export function secretProvider(written: string): SecretProvider {
  const [, scheme, path] = /^([A-Za-z][\w+.-]*):\/\/(.*)$/s.exec(written) ?? [];
  const name = scheme ?? written;
  return { name: name === "env" ? "environment" : name, ...(path !== undefined && path !== "" && { path }) };
}
