import { buffer } from "node:stream/consumers";
import { findOutcomeType } from "@slipway/blueprints";
import { parseSpec, resolveSpec, unusedKeys } from "@slipway/spec";
import {
  canCheckTypes,
  findBrowser,
  foreseeVerdicts,
  howToGetBrowser,
  missingPrograms,
  preflight,
} from "../../verification/index.ts";
import { declaredRoles } from "./declared-roles.ts";

/**
 * Prints what is known of the document on standard input without a service: which of its requests will not be met (null if
 * a plugin defines the outcome type), by the built-in agent where that does the work, which agent of the config file would finish them, which roles
 * nobody there fills, and what this machine lacks. The command line calls it, because it has no blueprints.
 */
export async function printUnmet([environment]: readonly string[]): Promise<void> {
  const { document } = parseSpec(await buffer(process.stdin));
  const target = document && resolveSpec(document, environment);
  const resolved = target?.document;
  const { isBuiltByRule, finisher, unfilled } =
    target === undefined ? { isBuiltByRule: false, finisher: null, unfilled: [] } : declaredRoles(target, process.env);
  const type = resolved && findOutcomeType(resolved.outcome_type);
  const plan = resolved && isBuiltByRule ? type?.plan(resolved) : undefined;
  const byRule = plan?.unmet.map(({ pointer, reason }) => ({ pointer, reason })) ?? [];
  const unmet = type && resolved ? [...byRule, ...unusedKeys(resolved, byRule)] : null;
  const hasBrowser = (await findBrowser()) !== undefined;
  const hasTypeChecker =
    resolved !== undefined && (await canCheckTypes(resolved, { isBuiltByRule: plan !== undefined }));
  const here = { answered: [], hasBrowser, hasTypeChecker };
  const lines = resolved === undefined ? [] : foreseeVerdicts(resolved, here);
  const obstacles = preflight({
    roles: unfilled.map((role) => ({ ...role, availability: "unknown" })),
    isConfigOnly: true,
    // Which secrets there are, only a service knows.
    ...{ secrets: [], document: resolved ?? {} },
    acceptance: lines.map(({ pointer, title, canBeVerified }) => ({
      ...{ pointer, title, can_be_verified: canBeVerified, asked_of: null },
    })),
    missing: await missingPrograms({ ...plan?.scripts, ...resolved?.scripts }),
    noBrowser: hasBrowser ? undefined : howToGetBrowser,
  });
  const answer = { unmet, finisher: unmet === null ? null : finisher, preflight: obstacles };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
