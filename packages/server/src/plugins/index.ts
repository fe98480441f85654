export { PluginFailure } from "./ask-plugin.ts";
export { openPlugins, type Plugins } from "./open-plugins.ts";
export { readPluginSettings } from "./plugin-settings.ts";
