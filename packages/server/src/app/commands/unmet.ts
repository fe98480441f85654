import { buffer } from "node:stream/consumers";
import { findOutcomeType } from "@slipway/blueprints";
import { parseSpec, resolveSpec } from "@slipway/spec";

/**
 * Prints what of the document on the standard input the built-in agent could not honour; null where only a running service
 * knows, because a plugin defines the outcome type. For the command line, which has no blueprints of its own.
 */
export async function printUnmet([environment]: readonly string[]): Promise<void> {
  const { document } = parseSpec(await buffer(process.stdin));
  const resolved = document && resolveSpec(document, environment).document;
  const plan = resolved && findOutcomeType(resolved.outcome_type)?.plan(resolved);
  const unmet = plan?.unmet.map(({ pointer, reason }) => ({ pointer, reason })) ?? null;
  process.stdout.write(`${JSON.stringify(unmet)}\n`);
}
