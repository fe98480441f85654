/** The provider that a document names, taken apart: `vault://teams/shop` narrows `vault` to `teams/shop`. */
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
