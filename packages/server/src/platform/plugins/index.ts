export { PluginFailure } from "./ask-plugin.ts";
export { describePlugin, type PluginDescription } from "./describe-plugin.ts";
export { openPlugins, type Plugins, type PluginVerdict } from "./open-plugins.ts";
export {
  folderOfPlugin,
  type PluginPlace,
  placeOf,
  placeWithin,
  pluginOfFolder,
  pluginsFolder,
} from "./plugin-place.ts";
export type { PluginSecrets } from "./plugin-secrets.ts";
export { packageName, readPluginSettings } from "./plugin-settings.ts";
