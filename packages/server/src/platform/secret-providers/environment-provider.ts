import type { SecretProvider } from "../secrets/index.ts";
import { unusedFields } from "./narrowed-path.ts";

interface Deps {
  readonly variables: NodeJS.ProcessEnv;
  /** The names that the operator allows documents to use; undefined if the operator lists none. */
  readonly listed: readonly string[] | undefined;
}

/** The environment of the service, without its own variables. */
export function environmentProvider({ variables, listed }: Deps): SecretProvider {
  const own = (name: string) => (name.startsWith("SLIPWAY_") ? undefined : variables[name]);
  return {
    names: listed,
    listedIn: "'environment_secrets'",
    howToSet: (names) =>
      `Set ${names.join(", ")} in the environment of the service and start it again; or use 'provider: slipway' and 'slipway secrets set <name>'.`,
    // 'env://local' is a way to write it.
    unused: (request) => unusedFields({}, { ...request, path: undefined }),
    read: async ({ names }) =>
      new Map(
        names.flatMap((name) => {
          const value = own(name);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
  };
}
