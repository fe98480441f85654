import { compileSchema } from "../check/compile-schema.ts";
import { type Diagnostic, Findings, pathOf } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import type { Draft, Reporter } from "../rules/rule.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { decodeText } from "../yaml/decode-text.ts";
import type { FileKind } from "../yaml/file-kind.ts";
import { type Node, spanAt, startOf } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { type Breakdown, breakdownShape } from "./breakdown-shape.ts";
import { checkAllServed, checkBreakdown } from "./check-breakdown.ts";
import { frameOf, type PlanFrame } from "./plan-work.ts";
import { withReviews } from "./review-tasks.ts";
import { servedByBuiltIn, servedLines } from "./serve-acceptance.ts";
import { assemblePlan, defaultRoles, type PlannedTask, type WorkPlan } from "./work-plan.ts";

export interface ReadBreakdown {
  /** The plan; undefined if there is an error. */
  readonly plan?: WorkPlan;
  readonly diagnostics: readonly Diagnostic[];
}

const breakdownFile: FileKind = {
  name: "plan",
  maxBytes: limits.breakdownBytes,
  whenTooLarge: "Shorten the descriptions.",
  whenEmpty: "Start with 'tasks:'.",
};

/** Reads `tasks.yaml` as a plan of a resolved document. Reports every problem; never throws. */
export function readTaskBreakdown(source: string | Uint8Array, document: CompleteSpec): ReadBreakdown {
  const findings = new Findings();
  const text = decodeText(source, findings, breakdownFile);
  if (text === undefined) return { diagnostics: findings.toDiagnostics("") };
  const { root, brokenFrom } = readYaml(text, findings, breakdownFile);
  const plan = root === undefined ? undefined : readRoot(root, brokenFrom, document, findings);
  const diagnostics = findings.toDiagnostics(text);
  return plan === undefined || findings.hasErrors ? { diagnostics } : { plan, diagnostics };
}

const checkShape = compileSchema(breakdownShape);

function readRoot(root: Node, brokenFrom: number, document: CompleteSpec, findings: Findings): WorkPlan | undefined {
  const isBroken = brokenFrom < Number.POSITIVE_INFINITY;
  if (root.kind !== "map") {
    if (!isBroken && !(root.kind === "scalar" && root.isUnreadable === true)) reportNoMap(root, findings);
    return undefined;
  }
  if (isBroken) {
    // Values before the first syntax error are read correctly; missing fields may come after it.
    const early = new Findings();
    checkShape(root, undefined, { findings: early, templates: [] });
    findings.addAll(early, ({ code, span }) => span.end <= brokenFrom && code !== "missing_fields");
    return undefined;
  }
  const { tasks } = checkShape(root, undefined, { findings, templates: [] }) as Draft<Breakdown>;
  if (tasks === undefined) return undefined;
  const reporter = reporterFor(root, findings);
  const frame = frameOf(document);
  checkBreakdown(reporter, tasks, document, frame);
  if (findings.hasErrors) return undefined;
  const plan = planOf(tasks as Breakdown["tasks"], frame);
  checkAllServed(reporter, plan, frame);
  return plan;
}

function reportNoMap(root: Node, findings: Findings): void {
  findings.add({
    code: "not_a_map",
    message: `A plan must be a map with the key 'tasks', not ${root.kind === "list" ? "a list" : "a single value"}.`,
    span: startOf(root),
    suggestion: "Start with 'tasks:'.",
  });
}

function reporterFor(root: Node, findings: Findings): Reporter {
  return {
    report(code, at, message, suggestion, what) {
      const path = pathOf(at);
      // A diagnostic that is only counted needs no position.
      const span = findings.takes(code) ? spanAt(root, path, what) : { start: 0, end: 0 };
      findings.add({ code, message, path, span, suggestion });
    },
  };
}

function planOf(written: Breakdown["tasks"], { phases, lines, roles }: PlanFrame): WorkPlan {
  const kindOf = new Map(phases.map(({ name, kind }) => [name, kind]));
  const unserved = written.map(
    ({ id, title, description, phase, role, depends_on = [], estimated_hours = 1 }): Omit<PlannedTask, "serves"> => ({
      id,
      title,
      ...(description !== undefined && { description }),
      phase,
      role: role ?? defaultRoles[kindOf.get(phase)!],
      dependsOn: [...new Set(depends_on)],
      estimatedHours: estimated_hours,
    }),
  );
  const guessed = servedLines(lines, phases, unserved);
  const tasks = unserved.map((task, index) => {
    const serves = written[index]!.serves ?? guessed.get(task.id) ?? [];
    return { ...task, serves: [...new Set(serves)] };
  });
  return assemblePlan(phases, withReviews(phases, tasks, roles), (id) => servedByBuiltIn(id, lines));
}
