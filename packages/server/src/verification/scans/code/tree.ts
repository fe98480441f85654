/** A node of a syntax tree. Each type has fields of its own, and a stranger's program may hold any of them. */
export interface Node {
  readonly type: string;
  readonly parent?: Node;
  readonly loc: { readonly start: { readonly line: number } };
  // biome-ignore lint/suspicious/noExplicitAny: the rules ask for the type first, and read the fields of that type.
  readonly [field: string]: any;
}

interface Reference {
  readonly identifier: Node;
  readonly writeExpr: Node | null;
  isWrite(): boolean;
}

/** A name with what it was defined by and where it is used. */
export interface Variable {
  readonly name: string;
  readonly defs: readonly {
    readonly type: string;
    readonly node: Node;
    readonly parent: Node | null;
    readonly name: Node;
  }[];
  readonly references: readonly Reference[];
}

export interface Scope {
  readonly set: ReadonlyMap<string, Variable>;
  readonly upper: Scope | null;
}

/** Finds the scope that a node stands in. */
export type ScopeOf = (node: Node) => Scope;

/** The variable that an identifier names; undefined for a global. */
export function variableOf(scopeOf: ScopeOf, identifier: Node): Variable | undefined {
  for (let scope: Scope | null = scopeOf(identifier); scope !== null; scope = scope.upper) {
    const found = scope.set.get(identifier["name"] as string);
    if (found !== undefined) return found.defs.length > 0 ? found : undefined;
  }
  return undefined;
}

/** A node without what only types and chains put around it. */
export function bare(node: Node | null | undefined): Node | undefined {
  let inner = node ?? undefined;
  while (inner !== undefined && wrappers.has(inner.type))
    inner = (inner["expression"] ?? inner["argument"]) as Node | undefined;
  return inner;
}

const wrappers = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
  "ParenthesizedExpression",
  "AwaitExpression",
]);

/** The name of a property, if it is written as one or as a text. */
export function propertyName(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  const key = (node.type === "MemberExpression" ? node["property"] : node["key"]) as Node | undefined;
  if (key === undefined) return undefined;
  if (node["computed"] === true) return literalText(key);
  if (key.type === "PrivateIdentifier") return `#${key["name"]}`;
  return key.type === "Identifier" ? (key["name"] as string) : literalText(key);
}

/** The text of a literal, or of a template without parts. */
export function literalText(node: Node | null | undefined): string | undefined {
  if (node?.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node?.type === "TemplateLiteral" && node["expressions"].length === 0)
    return node["quasis"][0].value.cooked ?? undefined;
  return undefined;
}

/** `a.b.c` as it is written; undefined if it is not made of names only. */
export function dottedName(node: Node | undefined): string | undefined {
  const inner = bare(node);
  if (inner === undefined) return undefined;
  if (inner.type === "Identifier") return inner["name"] as string;
  if (inner.type === "ThisExpression") return "this";
  if (inner.type !== "MemberExpression") return undefined;
  const [object, name] = [dottedName(inner["object"] as Node), propertyName(inner)];
  return object === undefined || name === undefined ? undefined : `${object}.${name}`;
}

export function isFunction(node: Node | undefined): boolean {
  return node !== undefined && /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

/** The function around a node. */
export function functionAround(node: Node): Node | undefined {
  let outer = node.parent;
  // The root of a tree has null.
  while (outer && !isFunction(outer)) outer = outer.parent;
  return outer ?? undefined;
}

/** The value of a property of an object literal. */
export function optionOf(node: Node | undefined, name: string): Node | undefined {
  const object = bare(node);
  if (object?.type !== "ObjectExpression") return undefined;
  const property = (object["properties"] as Node[]).find(
    (one) => one.type === "Property" && propertyName(one) === name,
  );
  return property?.["value"] as Node | undefined;
}

/** Every node below a node, itself first. */
export function* nodesBelow(node: Node): Generator<Node> {
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const [key, value] of Object.entries(next)) {
      if (key === "parent" || key === "loc" || key === "range") continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
          waiting.push(child as Node);
    }
  }
}
