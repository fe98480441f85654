import type { SinkDeps, Spot } from "./built-text.ts";
import { spot } from "./insecure-spot.ts";
import { bare, dottedName, functionAround, type Node, nodesBelow, propertyName } from "./tree.ts";

/** `signature === expected` ends at the first sign that differs, which can be measured. */
export function* inComparison({ taint }: SinkDeps, node: Node): Generator<Spot> {
  if (!/^[!=]==?$/.test(node["operator"] as string)) return;
  const sides = [bare(node["left"] as Node), bare(node["right"] as Node)];
  if (
    sides.some(
      (one) =>
        one === undefined ||
        one.type === "Literal" ||
        (one.type === "Identifier" && one["name"] === "undefined") ||
        one.type === "UnaryExpression" ||
        (one.type === "MemberExpression" && propertyName(one) === "length"),
    )
  )
    return;
  const names = sides.map((one) =>
    one?.type === "CallExpression"
      ? (propertyName(bare(one["callee"] as Node)) ?? "")
      : (dottedName(one)?.split(".").at(-1) ?? ""),
  );
  const isSignature = names.some((name) =>
    /^(?:digest|hmac|mac|sig|signature|expectedSignature|computedSignature|expectedSig|computedHash)$|Hmac$|Signature$/i.test(
      name,
    ),
  );
  const isSecret = names.some((name) =>
    /^(?:api_?key|secret|token|password|auth_?token|access_?token|csrf_?token)$|(?:Secret|ApiKey|Token|Password)$|(?:SECRET|API_KEY|TOKEN|PASSWORD)$/.test(
      name,
    ),
  );
  if (
    (isSignature && sides.some((one) => one?.type === "CallExpression" || taint.of(one) === 2)) ||
    (isSecret && sides.some((one) => taint.of(one) === 2))
  )
    yield spot(
      node,
      "timing-attack",
      "medium",
      "A secret is compared sign by sign, and the time tells how many were right.",
      "Use crypto.timingSafeEqual.",
    );
}

/** A signature of both sides with any key is how two texts are compared in the same time. */
export function comparesSafely(node: Node): boolean {
  for (let owner = functionAround(node); owner !== undefined; owner = functionAround(owner))
    for (const inner of nodesBelow(owner))
      if (inner.type === "Identifier" && inner["name"] === "timingSafeEqual") return true;
  return false;
}
