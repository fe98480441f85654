import { parallelTasksOf, resolveSpec, summarisePlan } from "@slipway/spec";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import { readOneDocument } from "../validate/read-one-document.ts";
import { findUnmet } from "./find-unmet.ts";
import { type PlannedDocument, planAsJson } from "./json.ts";
import { withTimeByRule } from "./time-by-rule.ts";
import { planAsTree } from "./tree.ts";
import { whoDoesWhat } from "./who-does-what.ts";

export interface PlanOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  readonly verbose?: true;
  /** What is not met or stands in the way fails the command. */
  readonly strict?: true;
  readonly json?: true;
}

/** Prints the plan of a document, or its problems. */
export async function planDocument(terminal: Terminal, file: string, options: PlanOptions): Promise<ExitCode> {
  const read = await readOneDocument(terminal, file, options, "plan");
  if ("code" in read) return read.code;
  const resolved = resolveSpec(read.document, options.environment);
  const foreseen = await findUnmet(terminal, read.bytes, resolved.environment?.name);
  const { plan, unmet, handedOn } = whoDoesWhat(resolved.document, read.bytes, foreseen);
  const summary = summarisePlan(plan, parallelTasksOf(resolved.document));
  const planned = { resolved, plan, summary, ...foreseen, unmet, handedOn };
  terminal.out(options.json ? planAsJson(planned) : planAsTree(inTime(planned), options, terminal.colors));
  const isWhole = (unmet ?? []).length === 0 && foreseen.preflight.length === 0;
  return options.strict && !isWhole ? exitCode.failed : exitCode.ok;
}

/** People are told how long it takes; programs get the estimates of the document. */
function inTime(planned: PlannedDocument): PlannedDocument {
  const plan = withTimeByRule(planned.plan, planned.byRule);
  return { ...planned, plan, summary: summarisePlan(plan, parallelTasksOf(planned.resolved.document)) };
}
