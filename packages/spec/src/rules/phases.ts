import { builtInPhases } from "../schema/work.ts";
import { checkReferences } from "./references.ts";
import { entriesOf, type Rule } from "./rule.ts";

/** Checks that phases do not use built-in names and have existing dependencies. */
export const checkPhases: Rule = (context) => {
  const phases = entriesOf(context.document.phases);
  for (const [name] of phases) {
    if (!(builtInPhases as readonly string[]).includes(name)) continue;
    const message = `'${name}' is a built-in phase.`;
    const suggestion = `Choose another name. Built-in phases: ${builtInPhases.join(", ")}.`;
    context.report("reserved_name", ["phases", name], message, suggestion, "key");
  }
  checkReferences(
    context,
    "phase",
    phases.map(([id, { depends_on }]) => ({ id, at: ["phases", id], names: depends_on, key: "depends_on" })),
  );
};
