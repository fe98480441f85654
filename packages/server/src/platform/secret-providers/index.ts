export { environmentProvider } from "./environment-provider.ts";
export { openProviders } from "./open-providers.ts";
export { pluginProvider } from "./plugin-provider.ts";
export { credentialVariables, readProviderSettings } from "./provider-settings.ts";
