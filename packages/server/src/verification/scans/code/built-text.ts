import type { Severity } from "../finding.ts";
import type { TaintFinder } from "./taint.ts";
import { bare, dottedName, literalText, type Node, propertyName, type ScopeOf, variableOf } from "./tree.ts";

/** What a rule says of a node. */
export interface Spot {
  readonly node: Node;
  readonly ruleId: string;
  readonly severity: Severity;
  readonly message: string;
  readonly remedy: string;
}

export interface SinkDeps {
  readonly taint: TaintFinder;
  readonly scopeOf: ScopeOf;
}

interface Built {
  readonly head: string;
  readonly texts: readonly string[];
  readonly parts: readonly Node[];
}

/** A text put together from texts and values; undefined for anything else. Follows names to what they were set to. */
export function builtText(deps: SinkDeps, node: Node | undefined, depth = 0): Built | undefined {
  const inner = bare(node);
  if (inner === undefined || depth > 20) return undefined;
  if (inner.type === "TemplateLiteral") {
    const texts = (inner["quasis"] as Node[]).map((one) => String((one["value"] as { raw: string }).raw));
    return inner["expressions"].length === 0
      ? undefined
      : { head: texts[0]!, texts, parts: inner["expressions"] as Node[] };
  }
  if (inner.type === "BinaryExpression" && inner["operator"] === "+") {
    const [left, right] = [inner["left"] as Node, inner["right"] as Node];
    const before = builtText(deps, left, depth + 1);
    const after = builtText(deps, right, depth + 1);
    const texts = [...(before?.texts ?? [literalText(left) ?? ""]), ...(after?.texts ?? [literalText(right) ?? ""])];
    const parts = [left, right].flatMap(
      (one, at) => (at === 0 ? before : after)?.parts ?? (literalText(one) === undefined ? [one] : []),
    );
    return parts.length === 0 ? undefined : { head: before?.head ?? literalText(left) ?? "", texts, parts };
  }
  if (inner.type === "CallExpression") {
    const callee = bare(inner["callee"] as Node);
    const name = dottedName(callee) ?? propertyName(callee) ?? "";
    const args = inner["arguments"] as Node[];
    if (/(?:^|\.)format$/.test(name) && literalText(args[0]) !== undefined)
      return { head: literalText(args[0])!, texts: [], parts: args.slice(1) };
    const object = callee?.type === "MemberExpression" ? (callee["object"] as Node) : undefined;
    if (object !== undefined && /\.?(?:concat|replace|replaceAll|trim)$/.test(name)) {
      const head = literalText(object) ?? builtText(deps, object, depth + 1)?.head;
      const own = builtText(deps, object, depth + 1)?.parts ?? [];
      const parts = [...own, ...(/trim$/.test(name) ? [] : args.filter((one) => literalText(one) === undefined))];
      return head === undefined || parts.length === 0 ? undefined : { head, texts: [], parts };
    }
    if (object?.type === "ArrayExpression" && /\.?join$/.test(name)) {
      const elements = object["elements"] as Node[];
      const parts = elements.filter((one) => one !== null && literalText(one) === undefined);
      return parts.length === 0 ? undefined : { head: literalText(elements[0]) ?? "", texts: [], parts };
    }
    return undefined;
  }
  if (inner.type !== "Identifier") return undefined;
  const variable = variableOf(deps.scopeOf, inner);
  const writes = (variable?.references ?? []).filter((one) => one.isWrite()).map(({ writeExpr }) => writeExpr);
  // `sql += " where name = '" + name + "'"`: the beginning decides what it is, all parts what is in it.
  const all = writes.map((one) => ({ text: literalText(one), built: builtText(deps, one ?? undefined, depth + 4) }));
  const parts = all.flatMap(({ built }) => built?.parts ?? []);
  if (parts.length === 0) return undefined;
  const texts = all.flatMap(({ text, built }) => built?.texts ?? [text ?? ""]);
  return { head: all[0]?.built?.head ?? all[0]?.text ?? "", texts, parts };
}

export function isBuiltText(deps: SinkDeps, node: Node): boolean {
  const built = builtText(deps, node);
  return built?.parts.some((one) => !isFixed(deps, one)) ?? false;
}

/** Whether an expression is known before the program runs: literals, constants, and what is made of them. */
export function isFixed(deps: SinkDeps, node: Node | undefined, depth = 0): boolean {
  const inner = bare(node);
  if (inner === undefined || depth > 8) return false;
  switch (inner.type) {
    case "Literal":
      return true;
    case "TemplateLiteral":
      return (inner["expressions"] as Node[]).every((one) => isFixed(deps, one, depth + 1));
    case "BinaryExpression":
      return isFixed(deps, inner["left"] as Node, depth + 1) && isFixed(deps, inner["right"] as Node, depth + 1);
    case "ConditionalExpression":
      return (
        isFixed(deps, inner["consequent"] as Node, depth + 1) && isFixed(deps, inner["alternate"] as Node, depth + 1)
      );
    case "ArrayExpression":
      return (inner["elements"] as (Node | null)[]).every((one) => one === null || isFixed(deps, one, depth + 1));
    case "MemberExpression":
      // Tables of constants, settings, the program's own place.
      return /^(?:process\.(?:execPath|pid|cwd|platform)|[A-Z][A-Z0-9_]*(?:\.\w+)?|(?:import\.meta|__dirname|__filename)(?:\.\w+)?)$/.test(
        dottedName(inner) ?? "",
      );
    case "Identifier": {
      if (/^(?:__dirname|__filename|undefined)$/.test(inner["name"] as string)) return true;
      const variable = variableOf(deps.scopeOf, inner);
      const [def] = variable?.defs ?? [];
      if (def?.type !== "Variable" || (variable?.references.filter((one) => one.isWrite()).length ?? 2) > 1)
        return false;
      if (def.node["init"] === null && def.node.parent?.parent?.type === "ForOfStatement")
        return isFixed(deps, def.node.parent.parent["right"] as Node, depth + 1);
      return (
        (def.node["id"] as Node).type === "Identifier" && isFixed(deps, def.node["init"] as Node | undefined, depth + 1)
      );
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return true;
    case "CallExpression":
      return (
        /^(?:path\.(?:join|resolve)|join|resolve|fileURLToPath|process\.cwd|JSON\.stringify|Number|parseInt|String\.raw)$/.test(
          dottedName(inner["callee"] as Node) ?? "",
        ) && (inner["arguments"] as Node[]).every((one) => isFixed(deps, one, depth + 1))
      );
    default:
      return (
        inner.type === "MetaProperty" ||
        (inner.type === "NewExpression" && dottedName(inner["callee"] as Node) === "URL")
      );
  }
}

/** Parts of a query that carry no values: placeholders, counted or joined, and names of a fixed list. */
export function isSqlSafe(deps: SinkDeps, part: Node, _whole: Node): boolean {
  const inner = bare(part);
  if (inner === undefined || isFixed(deps, inner)) return true;
  if (inner.type === "CallExpression") {
    const name = dottedName(inner["callee"] as Node) ?? propertyName(bare(inner["callee"] as Node)) ?? "";
    return /(?:escape|quote|ident|format|Number|parseInt|join|repeat|raw|placeholder|literal|id)\w*$/i.test(name);
  }
  if (inner.type === "ConditionalExpression")
    return isSqlSafe(deps, inner["consequent"] as Node, _whole) && isSqlSafe(deps, inner["alternate"] as Node, _whole);
  if (inner.type === "BinaryExpression" && inner["operator"] !== "+") return true;
  if (inner.type === "MemberExpression" && /^(?:length|size)$/.test(propertyName(inner) ?? "")) return true;
  const name = dottedName(inner)?.split(".").at(-1) ?? "";
  return (
    /(?:table|column|columns|schema|placeholders?|fields?|where|clauses?|conditions?|sets|assignments|order|direction|limit|offset|returning|names?List|keys|marks)$/i.test(
      name,
    ) && deps.taint.of(inner) === 0
  );
}

/** Whether an address begins with a host or a path of the program's own. */
export function hasFixedHost(deps: SinkDeps, node: Node): boolean {
  const inner = bare(node);
  if (inner?.type === "NewExpression" && dottedName(inner["callee"] as Node) === "URL") {
    const [first, base] = inner["arguments"] as Node[];
    return base !== undefined && deps.taint.of(base) === 0
      ? builtText(deps, first) !== undefined && hasFixedHost(deps, first!)
      : first !== undefined && hasFixedHost(deps, first);
  }
  if (inner?.type === "LogicalExpression" || inner?.type === "ConditionalExpression") {
    const ways = (
      inner.type === "LogicalExpression" ? [inner["left"], inner["right"]] : [inner["consequent"], inner["alternate"]]
    ) as Node[];
    return ways.every((one) => deps.taint.of(one) === 0 || hasFixedHost(deps, one));
  }
  const built = builtText(deps, inner);
  if (built === undefined) return false;
  if (/^(?:https?:)?\/\/[^/]+[/?#]|^\/[^/\\]|^[?#]|^\.{1,2}\/|^(?:mailto|tel):/.test(built.head)) return true;
  // `${base}/users/${id}`: the host is in a name that no stranger sets.
  const [firstPart] = built.parts;
  return built.head === "" && firstPart !== undefined && deps.taint.of(firstPart) === 0;
}

export function isTrue(node: Node | undefined): boolean {
  return node?.type === "Literal" && node["value"] === true;
}
