import type { Severity } from "../finding.ts";
import type { SinkDeps, Spot } from "./built-text.ts";
import { bare, type Node, propertyName, variableOf } from "./tree.ts";

export function tainted(node: Node, rule: string, severity: Severity, what: string, remedy: string): Spot {
  return { node, ruleId: `code/${rule}`, severity, message: `Input from outside ${what}.`, remedy };
}

/** A request's whole body or query: an object whose keys its sender chooses. */
export function isWhole({ taint }: SinkDeps, node: Node): boolean {
  const inner = bare(node);
  if (inner?.type === "SpreadElement") return false;
  return (
    inner?.type === "MemberExpression" &&
    /^(?:body|query)$/.test(propertyName(inner) ?? "") &&
    taint.isRequest(inner["object"] as Node)
  );
}

/** A field of a request's body or query, as it came. */
export function isField({ taint, scopeOf }: SinkDeps, node: Node): boolean {
  const inner = bare(node);
  if (inner?.type === "Identifier") {
    const def = variableOf(scopeOf, inner)?.defs[0];
    const init = bare(def?.type === "Variable" ? (def.node["init"] as Node | null) : undefined);
    if (init?.type !== "MemberExpression") return false;
    return (
      (/^(?:body|query)$/.test(propertyName(init) ?? "") || isField({ taint, scopeOf }, init)) &&
      taint.of(init) === 2 &&
      !taint.isGuarded(inner)
    );
  }
  if (inner?.type !== "MemberExpression") return false;
  const object = bare(inner["object"] as Node);
  return (
    object?.type === "MemberExpression" &&
    /^(?:body|query)$/.test(propertyName(object) ?? "") &&
    taint.isRequest(object["object"] as Node)
  );
}
