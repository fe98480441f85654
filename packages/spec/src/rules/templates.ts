import { nearest } from "../check/nearest.ts";
import { isTemplateName, secretNamed, templateNames, templateParts } from "../templates.ts";
import { entriesOf, itemsOf, type Rule, type RuleContext } from "./rule.ts";

/** Templates use known names; secrets go into credentials only, and are listed. */
export const checkTemplates: Rule = (context) => {
  const listed = listedSecrets(context);
  for (const template of context.templates) {
    for (const { name } of templateParts(template.text)) {
      const secret = secretNamed(name);
      if (secret !== undefined) {
        if (template.use === "text") {
          const message = `The secret '${secret}' would be shown in a text that people read.`;
          context.reportWithin(template, "secret_in_text", message, "Remove it from the text.");
        } else if (!listed.has(secret)) {
          const message = `The secret '${secret}' is used here, and secrets.required does not list it.`;
          context.reportWithin(template, "secret_not_listed", message, `Add '${secret}' to secrets.required.`);
        }
      } else if (!isTemplateName(name)) {
        const names = Object.keys(templateNames);
        const meant = nearest(name, names);
        const suggestion = meant === undefined ? `There are: ${names.join(", ")}.` : `Did you mean '{{${meant}}}'?`;
        context.reportWithin(
          template,
          "unknown_template",
          `There is no template '{{${name.slice(0, 60)}}}'.`,
          suggestion,
        );
      }
    }
  }
};

/** Secrets listed at the top level or for any environment. */
function listedSecrets({ document }: RuleContext): ReadonlySet<string> {
  const blocks = [document.secrets, ...entriesOf(document.environments).map(([, block]) => block.secrets)];
  return new Set(blocks.flatMap((secrets) => itemsOf(secrets?.required).map(([, name]) => name)));
}
