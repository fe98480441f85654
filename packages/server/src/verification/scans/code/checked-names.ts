import { bare, dottedName, type Node, propertyName } from "./tree.ts";

const checks =
  /^(?:test|includes|has|hasOwn|hasOwnProperty|startsWith|match|exec|indexOf|some|every|equals|find|isSubPath)$|valid|allow|safe|check|^is[A-Z]|assert|ensure|verify|permit|inside|within|contain/i;

/** Whether a use of a name is a check of it: an argument or the object of a test, in a condition. */
export function isChecked(identifier: Node): boolean {
  const { parent } = identifier;
  if (!parent) return false;
  let call: Node | undefined;
  if (
    parent.type === "MemberExpression" &&
    parent["object"] === identifier &&
    parent.parent?.type === "CallExpression" &&
    parent.parent["callee"] === parent
  ) {
    if (checks.test(propertyName(parent) ?? "")) call = parent.parent;
  } else if (parent.type === "CallExpression" && (parent["arguments"] as Node[]).includes(identifier)) {
    const name = dottedName(parent["callee"] as Node) ?? propertyName(bare(parent["callee"] as Node)) ?? "";
    if (checks.test(name.split(".").at(-1) ?? "")) call = parent;
  } else if (parent.type === "BinaryExpression" && parent["operator"] === "in") call = parent;
  if (call === undefined) return false;
  for (let at: Node | undefined = call; at?.parent; at = at.parent) {
    const outer: Node = at.parent;
    if (/^(?:IfStatement|ConditionalExpression|WhileStatement)$/.test(outer.type)) return outer["test"] === at;
    if (
      outer.type === "LogicalExpression" ||
      outer.type === "UnaryExpression" ||
      outer.type === "BinaryExpression" ||
      outer.type === "AwaitExpression"
    )
      continue;
    // `assertInside(root, name);` throws by itself; `const isValid = pattern.test(name)` is asked for later.
    return outer.type === "ExpressionStatement" || outer.type === "VariableDeclarator";
  }
  return false;
}
