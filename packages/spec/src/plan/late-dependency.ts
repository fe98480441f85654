import type { PhaseOrder } from "./plan-phases.ts";

/** What is wrong with a task of a phase that waits for a task of another, and what to do about it. */
export function describeLateDependency(
  phase: string,
  other: { readonly id: string; readonly phase: string },
  order: PhaseOrder,
): { readonly message: string; readonly suggestion: string } {
  const waits = `The task waits for '${other.id}' of the phase '${other.phase}'`;
  return order.allows(phase, other.phase)
    ? {
        message: `${waits}, which starts only after its own, '${phase}'.`,
        suggestion: "Remove the dependency, or put one of the two into another phase.",
      }
    : {
        message: `${waits}, which is not complete before its own, '${phase}'.`,
        suggestion: `Let '${phase}' depend on '${other.phase}', or put one of the two into another phase.`,
      };
}
