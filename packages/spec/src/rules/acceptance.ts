import { isStepProblem, parseStep } from "../acceptance/integration-step.ts";
import { suggestKnown } from "./references.ts";
import { type DraftDocument, entriesOf, itemsOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

type DraftAcceptance = NonNullable<DraftDocument["acceptance"]>;

/** Every acceptance block, wherever it stands, holds lines that can be checked. */
export const checkAcceptance: Rule = (context) => {
  const { document } = context;
  checkBlock(context, document.acceptance, ["acceptance"]);
  for (const [name, { acceptance }] of entriesOf(document.phases))
    checkBlock(context, acceptance, ["phases", name, "acceptance"]);
  for (const [name, { acceptance }] of entriesOf(document.environments)) {
    checkBlock(context, acceptance, ["environments", name, "acceptance"]);
  }
};

function checkBlock(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  checkSteps(context, block, at);
  checkHealth(context, block, at);
}

function checkSteps(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  for (const [index, test] of itemsOf(block?.integration_tests)) {
    const place = [...at, "integration_tests", index];
    if (test.steps === undefined || test.steps.length === 0) {
      context.report(
        "empty_check",
        place,
        "The integration test has no steps, and checks nothing.",
        "Add steps, or remove it.",
      );
    }
    for (const [step, text] of itemsOf(test.steps)) {
      const parsed = parseStep(text);
      if (!isStepProblem(parsed)) continue;
      const message = `The step cannot be read: ${parsed.problem}. Its form is '<METHOD> <path> → <status>'.`;
      context.report("bad_step", [...place, "steps", step], message, parsed.suggestion);
    }
  }
}

function checkHealth(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  const services = Object.keys(context.document.services ?? {});
  for (const [index, { service }] of itemsOf(block?.service_health)) {
    if (service === undefined || services.includes(service)) continue;
    const place = [...at, "service_health", index, "service"];
    if (services.length === 0) {
      const message = `The document has no services; '${service}' is taken for the project itself.`;
      context.report("unsure_reference", place, message, "Define it under 'services', or remove 'service'.");
    } else {
      const message = `There is no service '${service}'.`;
      context.report("unknown_reference", place, message, suggestKnown(service, services, "service"));
    }
  }
}
