import { bare, dottedName, literalText, type Node, propertyName, type ScopeOf, variableOf } from "./tree.ts";

/** Where a function comes from: a module, and its name there. */
export interface Origin {
  readonly module: string;
  readonly name: string;
}

/** Names under which modules go where no import is seen, as in a part of a program. */
const usualNames: Readonly<Record<string, string>> = {
  child_process: "child_process",
  childProcess: "child_process",
  cp: "child_process",
  fs: "fs",
  fsp: "fs",
  fsPromises: "fs",
  path: "path",
  vm: "vm",
  crypto: "crypto",
  http: "http",
  https: "https",
  axios: "axios",
  got: "got",
  jwt: "jsonwebtoken",
};

/** The module and name behind what is called; undefined for the program's own functions. */
export function originOf(scopeOf: ScopeOf, callee: Node | undefined, depth = 0): Origin | undefined {
  const node = bare(callee);
  if (node === undefined || depth > 6) return undefined;
  if (node.type === "MemberExpression") {
    const name = propertyName(node);
    const outer = moduleOf(scopeOf, node["object"] as Node, depth + 1);
    return outer === undefined || name === undefined ? undefined : { module: outer, name };
  }
  if (node.type === "CallExpression") {
    // `promisify(exec)` is exec.
    const inner = dottedName(node["callee"] as Node);
    if (inner?.endsWith("promisify")) return originOf(scopeOf, node["arguments"][0] as Node, depth + 1);
    const module = requiredModule(node);
    return module === undefined ? undefined : { module, name: "default" };
  }
  if (node.type !== "Identifier") return undefined;
  for (const def of variableOf(scopeOf, node)?.defs ?? []) {
    if (def.type === "ImportBinding") {
      const imported = def.node["imported"] as Node | undefined;
      const module = plainModule((def.parent?.["source"] as Node | undefined)?.["value"]);
      return module === undefined
        ? undefined
        : { module, name: (imported?.["name"] as string | undefined) ?? "default" };
    }
    if (def.type !== "Variable") continue;
    const init = bare(def.node["init"] as Node | null);
    if (init === undefined) continue;
    const key = keyInPattern(def.node["id"] as Node, def.name);
    if (key === undefined) {
      const origin = originOf(scopeOf, init, depth + 1);
      if (origin !== undefined) return origin;
      continue;
    }
    const module = moduleOf(scopeOf, init, depth + 1);
    if (module !== undefined) return { module, name: key };
  }
  return undefined;
}

/** The module that an expression stands for, such as `require("fs")`, `fs.promises` or the name it was imported by. */
function moduleOf(scopeOf: ScopeOf, object: Node, depth: number): string | undefined {
  const node = bare(object);
  if (node === undefined || depth > 6) return undefined;
  const required = requiredModule(node);
  if (required !== undefined) return required;
  if (node.type === "MemberExpression" && propertyName(node) === "promises")
    return moduleOf(scopeOf, node["object"] as Node, depth + 1);
  if (node.type !== "Identifier") return undefined;
  if (variableOf(scopeOf, node) === undefined) return usualNames[node["name"] as string];
  const origin = originOf(scopeOf, node, depth + 1);
  return origin !== undefined && ["default", "promises"].includes(origin.name) ? origin.module : undefined;
}

function requiredModule(node: Node): string | undefined {
  if (node.type === "ImportExpression") return plainModule(literalText(node["source"] as Node));
  if (node.type !== "CallExpression") return undefined;
  const callee = node["callee"] as Node;
  const name = callee.type === "Import" ? "import" : dottedName(callee);
  if (name !== "require" && name !== "import" && name !== "process.mainModule.require") return undefined;
  return plainModule(literalText(node["arguments"][0] as Node));
}

/** `node:fs/promises` is `fs`. */
function plainModule(specifier: unknown): string | undefined {
  if (typeof specifier !== "string") return undefined;
  return specifier.replace(/^node:/, "").replace(/^fs\/promises$/, "fs");
}

/** By which key of a destructured object a name gets its value; undefined if it is the whole value. */
export function keyInPattern(pattern: Node, name: Node): string | undefined {
  if (pattern.type !== "ObjectPattern") return undefined;
  for (const property of pattern["properties"] as Node[]) {
    const value = property["value"] as Node | undefined;
    const target = value?.type === "AssignmentPattern" ? (value["left"] as Node) : value;
    if (target === name) return propertyName(property);
  }
  return "";
}
