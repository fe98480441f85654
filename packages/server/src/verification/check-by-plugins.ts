import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import { PluginFailure, type Plugins, type PluginVerdict } from "../platform/plugins/index.ts";
import type { LineVerdict } from "./verdict.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The phase that ends here; undefined: the whole result. */
  readonly phase?: string;
}

interface PluginsVerdict {
  readonly verdicts: readonly LineVerdict[];
  readonly log: string;
  readonly error?: Failure;
}

/** How many unmet checks an error names. */
const maxNamed = 5;

/** Lets the document's plugins check a result; the log has a line for each check. */
export async function checkByPlugins(
  plugins: Pick<Plugins, "check">,
  { document, ...result }: ToCheck,
): Promise<PluginsVerdict> {
  let checks: readonly PluginVerdict[];
  try {
    checks = await plugins.check(document, result);
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { verdicts: [], log: `${error.message}\n`, error: { code: "plugin_failed", message: error.message } };
  }
  const log = checks.map((check) => `${check.is_met ? "met" : "NOT MET"}: ${describe(check)}\n`).join("");
  const verdicts = checks.flatMap((check): readonly LineVerdict[] => {
    if (check.pointer === undefined) return [];
    return [
      {
        pointer: check.pointer,
        verdict: check.is_met ? "passed" : "failed",
        reason: `By a plugin: ${describe(check)}.`,
        answeredBy: { by: "plugin" },
      },
    ];
  });
  const error = errorOf(checks.filter(({ is_met }) => !is_met));
  return { verdicts, log, ...(error && { error }) };
}

function errorOf(unmet: readonly PluginVerdict[]): Failure | undefined {
  if (unmet.length === 0) return undefined;
  const first = unmet.slice(0, maxNamed).map(describe).join("; ");
  const more = unmet.length > maxNamed ? `; and ${unmet.length - maxNamed} more` : "";
  return { code: "check_failed", message: `The result is not as it must be. Not met: ${first}${more}.` };
}

function describe({ title, reason }: PluginVerdict): string {
  return reason === undefined ? title : `${title} (${reason})`;
}
