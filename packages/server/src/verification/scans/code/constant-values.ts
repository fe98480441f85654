import type { SinkDeps } from "./built-text.ts";
import { bare, dottedName, literalText, type Node, variableOf } from "./tree.ts";

/** The text of a literal, or of a constant that is one. */
export function constantText({ scopeOf }: SinkDeps, node: Node): string | undefined {
  const inner = bare(node);
  const text = literalText(inner);
  if (text !== undefined || inner === undefined) return text;
  if (inner.type === "LogicalExpression") return constantText({ scopeOf } as SinkDeps, inner["right"] as Node);
  if (inner.type !== "Identifier") return undefined;
  const def = variableOf(scopeOf, inner)?.defs[0];
  if (def?.type !== "Variable" || (def.node["id"] as Node).type !== "Identifier") return undefined;
  const init = bare(def.node["init"] as Node | null);
  return init?.type === "LogicalExpression" ? literalText(init["right"] as Node) : literalText(init);
}

/** Whether bytes are written in the program, not read from elsewhere. */
export function isLiteralBytes(deps: SinkDeps, node: Node): boolean {
  if ((constantText(deps, node)?.length ?? 0) > 0) return true;
  let inner = bare(node);
  if (inner?.type === "Identifier") {
    const def = variableOf(deps.scopeOf, inner)?.defs[0];
    inner = def?.type === "Variable" ? bare(def.node["init"] as Node | null) : undefined;
  }
  if (inner?.type !== "CallExpression") return false;
  const name = dottedName(inner["callee"] as Node) ?? "";
  const [first, second] = inner["arguments"] as Node[];
  return (
    (name === "Buffer.alloc" && first?.type === "Literal" && (second === undefined || second.type === "Literal")) ||
    (name === "Buffer.from" && (literalText(first)?.length ?? 0) > 0)
  );
}
