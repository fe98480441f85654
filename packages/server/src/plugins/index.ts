export { PluginFailure } from "./ask-plugin.ts";
export { addPluginCommand, listPluginsCommand, pluginsHelp, removePluginCommand } from "./command.ts";
export { listPlugins } from "./list-plugins.ts";
export { openPlugins, type PluginAgent, type Plugins } from "./open-plugins.ts";
export type { PluginSecrets } from "./plugin-secrets.ts";
export { readPluginSettings } from "./plugin-settings.ts";
