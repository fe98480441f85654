import { isStepProblem, parseStep } from "../acceptance/integration-step.ts";
import { checkServiceName, type ServiceNames } from "./references.ts";
import { type DraftDocument, entriesOf, itemsOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

type DraftAcceptance = NonNullable<DraftDocument["acceptance"]>;

/** Every acceptance block, wherever it stands, holds lines that can be checked. */
export const checkAcceptance: Rule = (context) => {
  const { document } = context;
  const services = new Set(Object.keys(document.services ?? {}));
  checkBlock(context, document.acceptance, ["acceptance"], [services]);
  for (const [name, { acceptance }] of entriesOf(document.phases))
    checkBlock(context, acceptance, ["phases", name, "acceptance"], [services]);
  for (const [name, block] of entriesOf(document.environments)) {
    const added = new Set(Object.keys(block.services ?? {}));
    checkBlock(context, block.acceptance, ["environments", name, "acceptance"], [services, added]);
  }
};

function checkBlock(context: RuleContext, block: DraftAcceptance | undefined, at: Keys, services: ServiceNames): void {
  checkSteps(context, block, at);
  for (const [index, { service }] of itemsOf(block?.service_health))
    checkServiceName(context, service, services, [...at, "service_health", index, "service"]);
}

function checkSteps(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  for (const [index, test] of itemsOf(block?.integration_tests)) {
    const place = [...at, "integration_tests", index];
    // Steps that are there and could not be read are told of already.
    if (test.steps === undefined ? !("steps" in test) : test.steps.length === 0) {
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
