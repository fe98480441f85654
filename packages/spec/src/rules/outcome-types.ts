import { nearest } from "../check/nearest.ts";
import { outcomeTypes } from "../schema/document.ts";
import { entriesOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

/** Checks that the types of the project and its services are built in or defined by a plugin. */
export const checkOutcomeTypes: Rule = (context) => {
  checkType(context, context.document.outcome_type, ["outcome_type"]);
  for (const [name, service] of entriesOf(context.document.services)) {
    checkType(context, service.outcome_type, ["services", name, "outcome_type"]);
  }
};

function checkType(context: RuleContext, type: string | undefined, at: Keys): void {
  const valid = [...Object.keys(outcomeTypes), ...context.pluginTypes];
  if (type === undefined || valid.includes(type)) return;
  const meant = nearest(type, valid);
  if (meant === undefined && mayBeOfPlugins(context)) {
    const message = `A plugin may define the outcome type '${type}'. This cannot be checked here.`;
    context.report("unchecked_outcome_type", at, message, "The service checks it.");
    return;
  }
  const message = `Unknown outcome_type '${type}'. Valid types: ${valid.join(", ")}`;
  const suggestion =
    meant === undefined ? "Use one of them, or add a plugin that defines it to 'plugins'." : `Did you mean '${meant}'?`;
  context.report("unknown_outcome_type", at, message, suggestion);
}

/** Away from the service, what the document's plugins define is unknown unless the caller says so. */
function mayBeOfPlugins({ knownPlugins, pluginTypes, document }: RuleContext): boolean {
  return knownPlugins === undefined && pluginTypes.length === 0 && (document.plugins?.length ?? 0) > 0;
}
