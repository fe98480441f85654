import { PluginFailure, type PluginSecrets } from "../plugins/index.ts";
import { ProviderFailure, type SecretProvider } from "../secrets/index.ts";
import { unusedFields } from "./narrowed-path.ts";

/** A provider that a plugin implements. */
export function pluginProvider({ listed, read }: PluginSecrets, environment: NodeJS.ProcessEnv): SecretProvider {
  return {
    names: listed,
    listedIn: "'secrets' of the provider's plugin",
    howToSet: (names) => `Store ${names.join(", ")} where the provider's plugin looks.`,
    unused: (request) => unusedFields({}, { ...request, config: undefined }),
    read: async ({ names, config }) => {
      try {
        return await read(names, config, environment);
      } catch (error) {
        if (error instanceof PluginFailure) throw new ProviderFailure(error.message, { cause: error });
        throw error;
      }
    },
  };
}
