import { isStepProblem, parseStep, type WrittenStep } from "../acceptance/integration-step.ts";
import { checkJsonSchema } from "../check/check-json-schema.ts";
import { quote } from "../check/describe-value.ts";
import { suggestKnown } from "./references.ts";
import { type Draft, type DraftDocument, entriesOf, itemsOf, type Keys, type RuleContext } from "./rule.ts";

type DraftAcceptance = NonNullable<DraftDocument["acceptance"]>;
type DraftStep = Draft<WrittenStep>;

/** Checks the integration tests of an acceptance block, and those who take their steps. */
export function checkIntegration(
  context: RuleContext,
  block: DraftAcceptance | undefined,
  at: Keys,
  /** Those whom the document names elsewhere. */
  shared: readonly string[],
): void {
  const actors = new Set([...shared, ...Object.keys(block?.actors ?? {})]);
  for (const [name, actor] of entriesOf(block?.actors)) {
    const place = [...at, "actors", name];
    if (actor.login !== undefined) checkStep(context, actor.login, [...place, "login"]);
    else if (actor.token !== undefined && !("login" in actor))
      context.report("ignored_key", [...place, "token"], "There is no 'login' that a token could come from.", addLogin);
  }
  for (const [index, test] of itemsOf(block?.integration_tests)) {
    const place = [...at, "integration_tests", index];
    // Steps that could not be read are already reported.
    if (test.steps === undefined ? !("steps" in test) : test.steps.length === 0) {
      const message = "The integration test has no steps, so it checks nothing.";
      context.report("empty_check", place, message, "Add steps, or remove it.");
    }
    for (const [number, step] of itemsOf(test.steps)) {
      const here = [...place, "steps", number];
      checkStep(context, step, here);
      const actor = typeof step === "string" ? undefined : step.as;
      if (actor === undefined || actors.has(actor)) continue;
      const suggestion = () => suggestKnown(actor, actors, "actor");
      context.report("unknown_reference", [...here, "as"], `There is no actor '${actor}'.`, suggestion);
    }
  }
}

const addLogin = "Add 'login', or write the token to 'headers'.";

function checkStep(context: RuleContext, step: DraftStep, at: Keys): void {
  // What the schema refuses is reported already.
  if (typeof step !== "string" && step.request === undefined) return;
  const parsed = parseStep(step as WrittenStep);
  if (isStepProblem(parsed)) {
    const form = typeof step === "string" ? "<METHOD> <path> → <status>" : "<METHOD> <path>";
    const message = `The step is not valid: ${parsed.problem}. Its form is '${form}'.`;
    context.report("bad_step", parsed.key === undefined ? at : [...at, parsed.key], message, parsed.suggestion);
  }
  if (typeof step === "string") return;
  const expected = step.expect ?? {};
  if ("schema" in expected) checkSchema(context, expected.schema, [...at, "expect", "schema"]);
  for (const pointer of Object.keys(expected.json ?? {})) {
    if (/^(?:\/(?:[^~/]|~[01])*)*$/.test(pointer)) continue;
    const message = `${quote(pointer)} is not a JSON Pointer, so nothing can be at that place.`;
    context.report("bad_step", [...at, "expect", "json", pointer], message, suggestPointer(pointer), "key");
  }
  for (const name of Object.keys(step.keep ?? {})) {
    if (/^[A-Za-z_][\w-]*$/.test(name)) continue;
    const message = `${quote(name)} cannot be used as '{${name.slice(0, 30)}}' in later steps.`;
    const suggestion = "Use letters, digits, '_' and '-', and start with a letter.";
    context.report("bad_step", [...at, "keep", name], message, suggestion, "key");
  }
}

function suggestPointer(pointer: string): string {
  return /^[\w.-]+$/.test(pointer) ? `Did you mean '/${pointer.replaceAll(".", "/")}'?` : "Start it with '/'.";
}

/** Checks a JSON Schema that an answer must match. */
export function checkSchema(context: RuleContext, schema: unknown, at: Keys): void {
  for (const { at: inside, problem, suggestion, isIgnored } of checkJsonSchema(schema)) {
    const place = [...at, ...inside];
    if (isIgnored) context.report("doubtful_check", place, `${problem}.`, suggestion);
    else context.report("bad_schema", place, `The schema is not valid: ${problem}.`, suggestion);
  }
}
