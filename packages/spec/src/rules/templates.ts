import { nearest } from "../check/nearest.ts";
import { isTemplateName, secretNamed, templateNames } from "../templates.ts";
import { entriesOf, itemsOf, type Rule, type RuleContext } from "./rule.ts";

/** Checks that templates use known names, and that secrets are listed and only in credentials. */
export const checkTemplates: Rule = (context) => {
  const listed = listedSecrets(context);
  for (const template of context.templates) {
    const { path, use } = template;
    for (const { name, span } of context.namesIn(template)) {
      const secret = secretNamed(name);
      if (secret !== undefined) {
        if (use === "text") {
          const message = `The secret '${secret}' would appear in text that people read.`;
          context.reportWithin(path, span, "secret_in_text", message, "Remove it from the text.");
        } else if (!listed.has(secret)) {
          const message = `The secret '${secret}' is not listed in secrets.required.`;
          context.reportWithin(path, span, "secret_not_listed", message, `Add '${secret}' to secrets.required.`);
        }
      } else if (!isTemplateName(name)) {
        const message = `Unknown template '{{${name.slice(0, 60)}}}'.`;
        context.reportWithin(path, span, "unknown_template", message, () => suggestTemplate(name));
      }
    }
  }
};

function suggestTemplate(name: string): string {
  const names = Object.keys(templateNames);
  const meant = nearest(name, names);
  return meant === undefined ? `Known: ${names.join(", ")}.` : `Did you mean '{{${meant}}}'?`;
}

/** Secrets listed at the top level or for any environment. */
function listedSecrets({ document }: RuleContext): ReadonlySet<string> {
  const blocks = [document.secrets, ...entriesOf(document.environments).map(([, block]) => block.secrets)];
  return new Set(
    blocks.flatMap((secrets) => [...itemsOf(secrets?.required), ...itemsOf(secrets?.optional)].map(([, name]) => name)),
  );
}
