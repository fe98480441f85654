import { parallelTasksOf, resolveSpec, summarisePlan } from "@slipway/spec";
import type { ConnectionOptions } from "../connection/connect.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import { checkOneDocument } from "../validate/check-one-document.ts";
import { readOneDocument } from "../validate/read-one-document.ts";
import { askEstimate } from "./ask-estimate.ts";
import { findUnmet } from "./find-unmet.ts";
import { planAsJson } from "./json.ts";
import { planAsTree } from "./tree.ts";
import { whoDoesWhat } from "./who-does-what.ts";

export interface PlanOptions extends ConnectionOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  readonly verbose?: true;
  /** What is not met or stands in the way fails the command. */
  readonly strict?: true;
  readonly json?: true;
}

/** Prints the plan of a document, or its problems. */
export async function planDocument(terminal: Terminal, file: string, options: PlanOptions): Promise<ExitCode> {
  const source = await readOneDocument(terminal, file, "plan");
  if ("code" in source) return source.code;
  const checked = checkOneDocument(terminal, source, options);
  if ("code" in checked) return checked.code;
  const bytes = new Uint8Array(source.bytes);
  const resolved = resolveSpec(checked.document, options.environment);
  const environment = resolved.environment?.name;
  const [foreseen, estimate] = await Promise.all([
    findUnmet(terminal, bytes, environment),
    askEstimate(terminal, options, { document: bytes, environment: options.environment }),
  ]);
  const { plan, unmet, handedOn } = whoDoesWhat(resolved.document, bytes, foreseen);
  const summary = summarisePlan(plan, parallelTasksOf(resolved.document));
  const planned = { resolved, plan, summary, ...foreseen, unmet, handedOn, estimate };
  terminal.out(options.json ? planAsJson(planned) : planAsTree(planned, options, terminal.colors));
  const isWhole = (unmet ?? []).length === 0 && foreseen.preflight.length === 0;
  return options.strict && !isWhole ? exitCode.failed : exitCode.ok;
}
