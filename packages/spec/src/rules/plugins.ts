import { nearest } from "../check/nearest.ts";
import type { KnownPlugin } from "../plugins.ts";
import { itemsOf, type Rule } from "./rule.ts";

/** Checks that the document's plugins may be used, and that no two of them define the same type. */
export const checkPlugins: Rule = (context) => {
  const { knownPlugins, document } = context;
  if (knownPlugins === undefined) return;
  const definedBy = new Map<string, string>();
  for (const [index, name] of itemsOf(document.plugins)) {
    const at = ["plugins", index];
    const plugin = knownPlugins.find((known) => known.name === name);
    if (plugin === undefined) {
      const message = `The plugin '${name}' is not allowed here.`;
      context.report("unknown_plugin", at, message, remedyFor(name, knownPlugins));
    } else if (plugin.refusal !== undefined) {
      const message = `The plugin '${name}' cannot be used: ${plugin.refusal}`;
      context.report("plugin_failed", at, message, "The operator of the service can fix or replace it.");
    } else {
      for (const type of plugin.outcomeTypes) {
        const other = definedBy.get(type.name);
        if (other !== undefined && other !== name) {
          const message = `The plugins '${other}' and '${name}' both define the outcome type '${type.name}'.`;
          context.report("duplicate_name", at, message, "Name only one of them.");
        }
        definedBy.set(type.name, name);
      }
    }
  }
};

function remedyFor(name: string, known: readonly KnownPlugin[]): string {
  const meant = nearest(
    name,
    known.map((plugin) => plugin.name),
  );
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  return `The operator of the service can allow it: 'slipway plugins add ${name}', then '- name: ${name}' under 'plugins' in slipway.yaml.`;
}
