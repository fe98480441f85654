import { describePath, type Path } from "../diagnostics/diagnostic.ts";
import { type MapNode, startOf } from "../yaml/node.ts";
import { type CheckContext, report } from "./check-context.ts";
import { joinWords } from "./describe-value.ts";

/** Reports the required fields that a map does not have, in one message. */
export function reportMissingFields(
  required: readonly string[],
  node: MapNode,
  path: Path | undefined,
  context: CheckContext,
): void {
  const missing = required.filter((key) => !node.entries.some((entry) => entry.key === key));
  if (missing.length === 0) return;
  const message =
    path === undefined
      ? `Schema validation error: missing required ${missing.length === 1 ? "field" : "fields"}: ${missing.join(", ")}.`
      : `${describePath(path)} is missing ${joinWords(missing, "and")}.`;
  const suggestion = `Add ${joinWords(
    missing.map((key) => `'${key}:'`),
    "and",
  )}.`;
  report("missing_fields", message, startOf(node), path, context, suggestion);
}
