import type { PhaseOrder } from "./plan-phases.ts";

/** The message for a task that depends on a task in a later or parallel phase. */
export function describeLateDependency(
  phase: string,
  other: { readonly id: string; readonly phase: string },
  order: PhaseOrder,
): { readonly message: string; readonly suggestion: string } {
  const depends = `The task depends on '${other.id}' in the phase '${other.phase}'`;
  return order.allows(phase, other.phase)
    ? {
        message: `${depends}, which starts after its own phase, '${phase}'.`,
        suggestion: "Remove the dependency, or move one of the two tasks to another phase.",
      }
    : {
        message: `${depends}, which is not complete when its own phase, '${phase}', starts.`,
        suggestion: `Make '${phase}' depend on '${other.phase}', or move one of the two tasks to another phase.`,
      };
}
