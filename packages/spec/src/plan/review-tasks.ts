import { slugOf } from "../slug.ts";
import { defaultRoles, type PlannedPhase, type PlannedTask, restRole } from "./work-plan.ts";

/** Where a reviewer writes what they found. */
export const reviewPath = "REVIEW.md";

const prefix = "review-as-";

/** Whether a task is the review by a role that the document asks for beside the built-in ones. */
export function isReview({ id, role }: Pick<PlannedTask, "id" | "role">): boolean {
  return id.startsWith(prefix) && !isBuiltIn(role);
}

/** The tasks, and a review in the validation by each role that the document asks for and that has no task otherwise. */
export function withReviews(
  phases: readonly PlannedPhase[],
  tasks: readonly PlannedTask[],
  roles: readonly string[],
): readonly PlannedTask[] {
  const validation = phases.find(({ kind }) => kind === "validation");
  if (validation === undefined) return tasks;
  const busy = new Set(tasks.map(({ role }) => role));
  const taken = new Set(tasks.map(({ id }) => id));
  // They look at the result as it is after all others.
  const dependsOn = tasks.filter(({ phase }) => phase === validation.name).map(({ id }) => id);
  const reviews = roles
    .filter((role) => !isBuiltIn(role) && !busy.has(role))
    .map((role) => {
      const id = freeId(`${prefix}${slugOf(role)}`, taken);
      taken.add(id);
      return {
        id,
        title: `Review the result as ${role}`,
        description: [
          `The document asks for the role '${role}'. Look at the result as such, and write what you find to '${reviewPath}'.`,
          "Its first line is 'verdict: accepted', or 'verdict: refused' if the result must not go live; below it say why,",
          "with files and lines. Change nothing else: only this file is kept.",
        ].join("\n"),
        phase: validation.name,
        role,
        dependsOn,
        estimatedHours: 1,
        serves: [],
      };
    });
  return [...tasks, ...reviews];
}

function isBuiltIn(role: string): boolean {
  return role === restRole || Object.values<string>(defaultRoles).includes(role);
}

/** The wanted id, or a similar one that is free. */
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  return id;
}
