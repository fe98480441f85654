import type { Severity } from "../finding.ts";
import type { Spot } from "./built-text.ts";
import type { Node } from "./tree.ts";

export function spot(node: Node, rule: string, severity: Severity, message: string, remedy: string): Spot {
  return { node, ruleId: `code/${rule}`, severity, message, remedy };
}
