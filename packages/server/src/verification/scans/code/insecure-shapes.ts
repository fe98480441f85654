import type { Spot } from "./built-text.ts";
import { spot } from "./insecure-spot.ts";
import { dottedName, literalText, type Node, nodesBelow } from "./tree.ts";

/** A group that repeats at its end and is repeated itself: the ways to read a text double with each sign. */
const nested = /\((?:\?:|\?<\w+>)?[^()]*(?:[^\\][+*]|\{\d+,\})\??(?:[^()|+*?]{1,6}[?*])*\)(?:[+*]|\{\d+,\d*\})/;
/** Alternatives that read the same sign: `(a|a)*`, `(\w|\d)+`. */
const doubled = /\((?:\?:)?(\\?[\w.])\|(?:[^()|]*\|)*?(?:\1|\\w|\.)\)[+*]/;

/** Regular expressions that some texts keep busy. */
export function* inRegExp(node: Node, pattern: string | undefined): Generator<Spot> {
  if (pattern === undefined || pattern.length > 2_000 || !(nested.test(pattern) || doubled.test(pattern))) return;
  yield spot(
    node,
    "slow-regexp",
    "medium",
    "A regular expression can take very long for some texts.",
    "Repeat no group that itself ends with a repetition.",
  );
}

/** A recursive merge that copies every key lets `__proto__` through. */
export function* inMerge(node: Node): Generator<Spot> {
  const name =
    (node["id"] as Node | null)?.["name"] ??
    (node.parent?.type === "VariableDeclarator" ? (node.parent["id"] as Node)["name"] : undefined);
  if (typeof name !== "string" || !/merge|extend|assign|deep|defaults|set(?:Path|Value|Deep|In)?$/i.test(name)) return;
  let copies: Node | undefined;
  let calls = false;
  let isSafe = false;
  let dynamic = 0;
  for (const inner of nodesBelow(node)) {
    const text = literalText(inner);
    if (text !== undefined && /__proto__|prototype|constructor/.test(text)) isSafe = true;
    if (inner.type === "Identifier" && /^(?:hasOwn|hasOwnProperty|Map|freeze|__proto__)$/.test(inner["name"] as string))
      isSafe ||= inner["name"] !== "Map";
    if (inner.type === "CallExpression" && dottedName(inner["callee"] as Node) === name) calls = true;
    if (
      inner.type === "AssignmentExpression" &&
      (inner["left"] as Node).type === "MemberExpression" &&
      (inner["left"] as Node)["computed"] === true
    ) {
      dynamic += 1;
      if (((inner["left"] as Node)["property"] as Node).type !== "Literal") copies ??= inner;
    }
  }
  if (copies !== undefined && calls && !isSafe && dynamic > 0)
    yield spot(
      copies,
      "prototype-pollution",
      "medium",
      "Every key is copied, __proto__ among them.",
      "Skip __proto__, constructor and prototype.",
    );
}
