import type { CheckVerdict } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import { PluginFailure, type Plugins } from "../platform/plugins/index.ts";
import type { ScriptsVerdict } from "./run-scripts.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The phase that ends here; undefined: the whole result. */
  readonly phase?: string;
}

/** How many unmet checks an error names. */
const maxNamed = 5;

/** Lets the document's plugins check a result; the log has a line for each check. */
export async function checkByPlugins(
  plugins: Pick<Plugins, "check">,
  { document, ...result }: ToCheck,
): Promise<ScriptsVerdict> {
  let verdicts: readonly CheckVerdict[];
  try {
    verdicts = await plugins.check(document, result);
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { log: `${error.message}\n`, error: { code: "plugin_failed", message: error.message } };
  }
  const log = verdicts.map((verdict) => `${verdict.is_met ? "met" : "NOT MET"}: ${describe(verdict)}\n`).join("");
  const error = errorOf(verdicts.filter(({ is_met }) => !is_met));
  return { log, ...(error && { error }) };
}

function errorOf(unmet: readonly CheckVerdict[]): Failure | undefined {
  if (unmet.length === 0) return undefined;
  const first = unmet.slice(0, maxNamed).map(describe).join("; ");
  const more = unmet.length > maxNamed ? `; and ${unmet.length - maxNamed} more` : "";
  return { code: "check_failed", message: `The result is not as it must be. Not met: ${first}${more}.` };
}

function describe({ title, reason }: CheckVerdict): string {
  return reason === undefined ? title : `${title} (${reason})`;
}
