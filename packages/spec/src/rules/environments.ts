import { nearest } from "../check/nearest.ts";
import { limits } from "../limits.ts";
import { identityKeys } from "../resolve-spec.ts";
import { entriesOf, itemsOf, type Rule } from "./rule.ts";

/** Checks that environments do not change the document's identity, how many get every result, and who approves. */
export const checkEnvironments: Rule = (context) => {
  const environments = entriesOf(context.document.environments);
  for (const [name, block] of environments) {
    for (const key of Object.keys(block).filter((key) => identityKeys.includes(key))) {
      const message = `An environment cannot change '${key}'. It is ignored here.`;
      context.report("ignored_key", ["environments", name, key], message, "Remove it.", "key");
    }
    const approvers = block.approvers?.length ?? 0;
    if (approvers > limits.approvers) {
      const message = `An environment has at most ${limits.approvers} approvers. '${name}' has ${approvers}.`;
      context.report("too_many_entries", ["environments", name, "approvers"], message, "Name fewer of them.", "key");
    }
  }
  const automatic = environments.filter(([, { auto_deploy }]) => auto_deploy === true).length;
  if (automatic > limits.autoDeployed) {
    const message = `A result goes by itself to at most ${limits.autoDeployed} environments. Here ${automatic} have 'auto_deploy'.`;
    context.report(
      "too_many_entries",
      ["environments"],
      message,
      "Take it to the others with 'slipway projects deploy'.",
    );
  }
  const approvals = context.document.guardrails?.deployment?.human_approval_required;
  if (!Array.isArray(approvals)) return;
  const names = new Set(environments.map(([name]) => name));
  for (const [index, name] of itemsOf(approvals as readonly (string | undefined)[])) {
    if (names.has(name)) continue;
    const at = ["guardrails", "deployment", "human_approval_required", index];
    const meant = context.takes("unsure_reference") ? nearest(name, names) : undefined;
    const message = `'${name}' is not an environment, so every deployment needs approval.`;
    if (meant === undefined) context.report("gates_everything", at, message);
    else context.report("unsure_reference", at, message, `Did you mean '${meant}'?`);
  }
};
