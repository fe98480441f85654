import { buffer } from "node:stream/consumers";
import { findOutcomeType } from "@slipway/blueprints";
import { parseSpec, resolveSpec } from "@slipway/spec";

/**
 * Prints which requests of the document on standard input the built-in agent does not support; null if a plugin defines the
 * outcome type, so that only a running service knows. The command line calls it, because it has no blueprints.
 */
export async function printUnmet([environment]: readonly string[]): Promise<void> {
  const { document } = parseSpec(await buffer(process.stdin));
  const resolved = document && resolveSpec(document, environment).document;
  const plan = resolved && findOutcomeType(resolved.outcome_type)?.plan(resolved);
  const unmet = plan?.unmet.map(({ pointer, reason }) => ({ pointer, reason })) ?? null;
  process.stdout.write(`${JSON.stringify(unmet)}\n`);
}
