import { isChecked } from "./checked-names.ts";
import { keyInPattern, originOf } from "./modules.ts";
import { handlerIndex, isMessageGuarded, isSentField, requestFields, requestNames } from "./request-fields.ts";
import {
  bare,
  dottedName,
  functionAround,
  isFunction,
  type Node,
  nodesBelow,
  propertyName,
  type ScopeOf,
  type Variable,
  variableOf,
} from "./tree.ts";

/** How far a value is in a stranger's hands: 2 for what came over the network, 1 for arguments and input, 0 for others. */
export type Taint = 0 | 1 | 2;

const browserSources =
  /^(?:(?:window|self|document|globalThis|top|parent)\.)?(?:location(?:\.(?:hash|search|href|pathname))?|document\.(?:URL|documentURI|referrer|cookie|baseURI)|window\.name)$|^(?:URL|referrer)$/;
const localSources = /^process\.(?:argv|stdin)$|^(?:Deno\.args|Bun\.argv)$/;

/** What makes a number, a flag or an encoded text of its argument. */
const sanitizers =
  /^(?:Number|parseInt|parseFloat|Boolean|BigInt|Number\.\w+|encodeURIComponent|encodeURI|isNaN|basename|path\.(?:posix\.|win32\.)?basename|crypto\.\w+|createHash|DOMPurify\.\w+|validator\.\w+|he\.\w+|Date|Date\.\w+|Math\.\w+)$|(?:^|[._])(?:escape|sanitiz|sanitis|purif|clean|encode|quote|validat|valid|safe|assert|verify|check|ensure|allow|normalizeId|slug|uuid|hash|digest|strip|whitelist|allowlist)\w*$|(?:Escape|Sanitiz|Sanitis|Encode|Quote|Validat|Safe|Slug)\w*$/;
/** What returns its argument in another form. */
const passing =
  /^(?:String|decodeURIComponent|decodeURI|unescape|atob|JSON\.(?:parse|stringify)|Buffer\.(?:from|concat)|Object\.(?:assign|values|entries|keys|fromEntries)|Array\.(?:from|of)|structuredClone|Promise\.(?:all|resolve)|Reflect\.get|URL|URLSearchParams|util\.format|format|join|resolve|normalize|path\.(?:posix\.|win32\.)?(?:join|resolve|normalize)|(?:url|querystring|qs|cookie|URL)\.parse|parse|_\.(?:get|merge|defaults)|merge|Symbol\.for|inspect|util\.inspect|fileURLToPath|pathToFileURL|promisify|TextDecoder)$/;
/** Methods whose answer is no text of the sender's. */
const neutralMethods =
  /^(?:indexOf|lastIndexOf|includes|startsWith|endsWith|test|has|hasOwnProperty|search|charCodeAt|codePointAt|localeCompare|some|every|findIndex|safeParse|parse|validate|equals|toFixed|getTime|pipe|on|once|destroy)$/;
const readsRequest = /body|json|query|param|form|text|payload|input|cookie|search|read|fields/i;
/** Answers how far the value of an expression is in a stranger's hands, within one file and without running it. */
export class TaintFinder {
  readonly #scopeOf: ScopeOf;
  readonly #known = new Map<Node, Taint>();
  /** A program can nest and call itself without end. */
  #depth = 0;

  constructor(scopeOf: ScopeOf) {
    this.#scopeOf = scopeOf;
  }

  of(node: Node | null | undefined): Taint {
    if (node === null || node === undefined || this.#depth > 60) return 0;
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    // While it is being found out, a circle adds nothing.
    this.#known.set(node, 0);
    this.#depth += 1;
    const taint = this.#find(node);
    this.#depth -= 1;
    this.#known.set(node, taint);
    return taint;
  }

  /** Whether a condition of the same function looks at the value, or at what it was made of, before it is used. */
  isGuarded(node: Node, depth = 0): boolean {
    if (depth > 4) return false;
    for (const inner of nodesBelow(node)) {
      if (inner.type !== "Identifier") continue;
      const variable = variableOf(this.#scopeOf, inner);
      if (variable === undefined) continue;
      if (variable.references.some(({ identifier }) => isChecked(identifier))) return true;
      if (this.#returnsOf(inner).some((one) => this.isGuarded(one, depth + 1))) return true;
      const inits = variable.defs.flatMap(({ type, node: def }) =>
        type === "Variable" && def["init"] ? [def["init"] as Node] : [],
      );
      if (inits.some((init) => this.of(init) > 0 && this.isGuarded(init, depth + 1))) return true;
    }
    return false;
  }

  /** Whether an identifier is the request that a handler got. */
  isRequest(node: Node | undefined): boolean {
    const inner = bare(node);
    if (inner === undefined) return false;
    if (inner.type === "MemberExpression") {
      const name = propertyName(inner);
      return (
        (name === "req" || name === "request") &&
        /^(?:c|ctx|context|this|h)$/.test(dottedName(inner["object"] as Node) ?? "")
      );
    }
    if (inner.type !== "Identifier") return false;
    const variable = variableOf(this.#scopeOf, inner);
    const def = variable?.defs[0];
    if (def?.type !== "Parameter") return false;
    if (requestNames.test(inner["name"] as string)) return true;
    const index = (def.node["params"] as Node[]).indexOf(def.name);
    return index !== -1 && handlerIndex(def.node) === index;
  }

  #find(node: Node): Taint {
    switch (node.type) {
      case "Identifier":
        return this.#ofIdentifier(node);
      case "MemberExpression":
        return this.#ofMember(node);
      case "CallExpression":
        return this.#ofCall(node);
      case "NewExpression":
        return passing.test(dottedName(node["callee"] as Node) ?? "") ? this.#most(node["arguments"] as Node[]) : 0;
      case "TemplateLiteral":
        return this.#most(node["expressions"] as Node[]);
      case "TaggedTemplateExpression":
        return dottedName(node["tag"] as Node) === "String.raw" ? this.of(node["quasi"] as Node) : 0;
      case "BinaryExpression":
        return node["operator"] === "+" ? this.#most([node["left"], node["right"]] as Node[]) : 0;
      case "LogicalExpression":
        return this.#most([node["left"], node["right"]] as Node[]);
      case "ConditionalExpression":
        return this.#most([node["consequent"], node["alternate"]] as Node[]);
      case "AssignmentExpression":
        return this.of(node["right"] as Node);
      case "SequenceExpression":
        return this.of((node["expressions"] as Node[]).at(-1));
      case "ArrayExpression":
        return this.#most((node["elements"] as (Node | null)[]).filter((one) => one !== null));
      case "ObjectExpression":
        return this.#most(
          (node["properties"] as Node[]).map(
            (one) => (one.type === "Property" ? one["value"] : one["argument"]) as Node,
          ),
        );
      case "SpreadElement":
      case "YieldExpression":
        return this.of(node["argument"] as Node | null);
      default: {
        const inner = bare(node);
        return inner === node ? 0 : this.of(inner);
      }
    }
  }

  #most(nodes: readonly (Node | null | undefined)[]): Taint {
    let most: Taint = 0;
    for (const node of nodes) {
      const taint = this.of(node);
      if (taint > most) most = taint;
      if (most === 2) break;
    }
    return most;
  }

  #ofIdentifier(node: Node): Taint {
    const variable = variableOf(this.#scopeOf, node);
    if (variable === undefined) return node["name"] === "location" ? 2 : 0;
    let most: Taint = 0;
    for (const def of variable.defs) {
      const taint =
        def.type === "Parameter"
          ? this.#ofParameter(def.node, def.name)
          : def.type === "Variable"
            ? this.#ofVariable(def.node, def.name)
            : 0;
      if (taint > most) most = taint;
    }
    if (most === 2) return 2;
    const written = this.#most(variable.references.filter((one) => one.isWrite()).map(({ writeExpr }) => writeExpr));
    return written > most ? written : most;
  }

  #ofVariable(declarator: Node, name: Node): Taint {
    const loop = declarator.parent?.parent;
    if (declarator["init"] === null && loop?.type === "ForOfStatement")
      return this.isRequest(loop["right"] as Node) ? 2 : this.of(loop["right"] as Node);
    const init = bare(declarator["init"] as Node | null);
    if (init === undefined) return 0;
    const key = keyInPattern(declarator["id"] as Node, name);
    if (key !== undefined && this.isRequest(init)) return requestFields.has(key) || key === "" ? 2 : 0;
    return this.of(init);
  }

  #ofParameter(owner: Node, name: Node): Taint {
    const params = owner["params"] as Node[];
    const index = params.findIndex((one) => one === name || [...nodesBelow(one)].includes(name));
    const param = params[index];
    if (param === undefined) return 0;
    const key = keyInPattern(param.type === "AssignmentPattern" ? (param["left"] as Node) : param, name);
    if (key !== undefined && index === handlerIndex(owner) && requestFields.has(key)) return 2;
    return this.#ofCallback(owner, index) || this.#ofCallers(owner, index);
  }

  /** `request.on("data", (chunk) => …)`, `names.map((name) => …)`, `promise.then((value) => …)`. */
  #ofCallback(owner: Node, index: number): Taint {
    const call = owner.parent;
    if (call?.type !== "CallExpression" || call["callee"] === owner) return 0;
    const callee = bare(call["callee"] as Node);
    if (callee?.type !== "MemberExpression") return 0;
    const [object, method] = [callee["object"] as Node, propertyName(callee) ?? ""];
    if (/^(?:on|once|addListener)$/.test(method) && this.isRequest(object)) return index === 0 ? 2 : 0;
    if (method === "question") return index === 0 ? 1 : 0;
    if (/^(?:map|forEach|filter|flatMap|some|every|find|reduce|then|split|sort)$/.test(method)) return this.of(object);
    return 0;
  }

  /** What the file itself hands to its own function. */
  #ofCallers(owner: Node, index: number): Taint {
    let most: Taint = 0;
    for (const call of this.#callsOf(owner)) {
      const taint = this.of((call["arguments"] as Node[])[index]);
      if (taint > most) most = taint;
    }
    return most;
  }

  #callsOf(owner: Node): Node[] {
    const named =
      owner.type === "FunctionDeclaration"
        ? (owner["id"] as Node | null)
        : owner.parent?.type === "VariableDeclarator"
          ? (owner.parent["id"] as Node)
          : null;
    if (named?.type !== "Identifier") return [];
    const variable: Variable | undefined = variableOf(this.#scopeOf, named);
    return (variable?.references ?? []).flatMap(({ identifier: { parent }, identifier }) =>
      parent?.type === "CallExpression" && parent["callee"] === identifier ? [parent] : [],
    );
  }

  #ofMember(node: Node): Taint {
    const name = propertyName(node);
    const object = node["object"] as Node;
    if (name === "length" || name === "size") return 0;
    if (name !== undefined && isSentField(object, name) && this.isRequest(object))
      return isMessageGuarded(node) ? 0 : 2;
    if (name === "originalname" || name === "entryName" || name === "originalFilename") return 2;
    const dotted = dottedName(node) ?? "";
    if (browserSources.test(dotted) && variableOf(this.#scopeOf, rootOf(node)) === undefined) return 2;
    if (localSources.test(dotted)) return 1;
    return this.of(object);
  }

  #ofCall(node: Node): Taint {
    const callee = bare(node["callee"] as Node);
    const args = node["arguments"] as Node[];
    if (callee === undefined) return 0;
    const name = dottedName(callee) ?? propertyName(callee) ?? "";
    const last = name.split(".").at(-1) ?? "";
    if (callee.type === "MemberExpression") {
      const object = callee["object"] as Node;
      if (this.isRequest(object) && isSentField(object, last)) return 2;
      if (last === "prompt" && name === "window.prompt") return 1;
      if (sanitizers.test(name)) return 0;
      if (!neutralMethods.test(last)) {
        // A replacement of every sign but some is a check of its own.
        const isStrict =
          /^replace(?:All)?$/.test(last) &&
          (args[0]?.["regex"] as { pattern?: string } | undefined)?.pattern?.startsWith("[^");
        if (isStrict) return 0;
        const ofObject = this.of(object);
        if (ofObject > 0) return ofObject;
        if (/^(?:concat|join|replace|replaceAll|push|append)$/.test(last)) return this.#most(args);
      }
    }
    if (name === "prompt") return 1;
    if (sanitizers.test(name)) return 0;
    if (args.some((one) => this.isRequest(one)) && readsRequest.test(last)) return 2;
    const origin = originOf(this.#scopeOf, callee);
    if (passing.test(name) || (origin !== undefined && passing.test(`${origin.module}.${origin.name}`)))
      return this.#most(args);
    return this.#ofReturns(callee);
  }

  #ofReturns(callee: Node): Taint {
    return this.#most(this.#returnsOf(callee));
  }

  /** What a function of the file returns; nothing for others. */
  #returnsOf(callee: Node): Node[] {
    if (callee.type !== "Identifier") return [];
    const def = variableOf(this.#scopeOf, callee)?.defs[0];
    const owner =
      def?.type === "FunctionName" ? def.node : bare(def?.type === "Variable" ? def.node["init"] : undefined);
    if (owner === undefined || !isFunction(owner)) return [];
    const body = owner["body"] as Node;
    if (body.type !== "BlockStatement") return [body];
    const returned: Node[] = [];
    for (const inner of nodesBelow(body))
      if (inner.type === "ReturnStatement" && inner["argument"] !== null && functionAround(inner) === owner)
        returned.push(inner["argument"] as Node);
    return returned;
  }
}

function rootOf(node: Node): Node {
  let root = node;
  while (root.type === "MemberExpression") root = root["object"] as Node;
  return root;
}
