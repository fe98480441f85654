import type { CheckVerdict } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import { PluginFailure, type Plugins } from "../platform/plugins/index.ts";
import type { ScriptsVerdict } from "./run-scripts.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The phase at whose end it is; nothing: the whole result. */
  readonly phase?: string;
}

const maxTold = 5;

/** Lets the document's plugins look at a result; a line of the log for each thing they looked at. */
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
  const log = verdicts.map((verdict) => `${verdict.is_met ? "met" : "NOT MET"}: ${told(verdict)}\n`).join("");
  const error = errorOf(verdicts.filter(({ is_met }) => !is_met));
  return { log, ...(error && { error }) };
}

function errorOf(unmet: readonly CheckVerdict[]): Failure | undefined {
  if (unmet.length === 0) return undefined;
  const first = unmet.slice(0, maxTold).map(told).join("; ");
  const more = unmet.length > maxTold ? `; and ${unmet.length - maxTold} more` : "";
  return { code: "check_failed", message: `The result is not as it must be. Not met: ${first}${more}.` };
}

function told({ title, reason }: CheckVerdict): string {
  return reason === undefined ? title : `${title} (${reason})`;
}
