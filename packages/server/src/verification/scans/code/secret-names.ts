import { functionAround, type Node, nodesBelow, propertyName } from "./tree.ts";

/** Names of what must stay secret. */
export const secretName =
  /pass(?:word|wd|phrase)?|secret|token|session|otp|nonce|csrf|salt|api_?key|reset|verif|invite|auth|credential|code$/i;

/** Whether the name of the variable, property or function that a value is for speaks of a secret. */
export function isForSecret(node: Node): boolean {
  for (let at = node.parent, steps = 0; at && steps < 12; at = at.parent, steps += 1) {
    if (at.type === "VariableDeclarator") {
      if (secretName.test((at["id"] as Node)["name"] as string)) return true;
    } else if (at.type === "Property" || at.type === "PropertyDefinition") {
      if (secretName.test(propertyName(at) ?? "")) return true;
    } else if (/Function/.test(at.type)) {
      const name =
        (at["id"] as Node | null)?.["name"] ??
        (at.parent?.type === "VariableDeclarator" ? (at.parent["id"] as Node)["name"] : propertyName(at.parent));
      return typeof name === "string" && secretName.test(name);
    }
  }
  return false;
}

/** The names around a call, which say what it is for. */
export function nearbyNames(node: Node, isArgumentOnly = false): string {
  const names: string[] = [];
  // `createHash("md5").update(password).digest("hex")`: the chain belongs to it.
  let top = node;
  while (top.parent && /^(?:MemberExpression|CallExpression|ChainExpression|AwaitExpression)$/.test(top.parent.type))
    top = top.parent;
  for (const inner of nodesBelow(top)) if (inner.type === "Identifier") names.push(inner["name"] as string);
  if (isArgumentOnly) return names.join(" ");
  if (top.parent?.type === "VariableDeclarator") names.push((top.parent["id"] as Node)["name"] as string);
  const owner = functionAround(node);
  const id = owner?.["id"] as Node | null | undefined;
  if (id) names.push(id["name"] as string);
  else if (owner?.parent?.type === "VariableDeclarator") names.push(String((owner.parent["id"] as Node)["name"]));
  return names.filter((name) => !/^(?:crypto|createHash|update|digest|code)$/.test(name)).join(" ");
}
