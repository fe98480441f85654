import type { Severity } from "../finding.ts";
import { originOf } from "./modules.ts";
import type { SinkDeps, Spot } from "./sinks.ts";
import {
  bare,
  dottedName,
  functionAround,
  literalText,
  type Node,
  nodesBelow,
  optionOf,
  propertyName,
  variableOf,
} from "./tree.ts";

const secretName =
  /pass(?:word|wd|phrase)?|secret|token|session|otp|nonce|csrf|salt|api_?key|reset|verif|invite|auth|credential|code$/i;

/** Settings and calls that are unsafe whatever reaches them. */
export function findInsecure(deps: SinkDeps, node: Node): Spot[] {
  switch (node.type) {
    case "Property":
      return [...inOption(node)];
    case "AssignmentExpression":
      return [...inAssignment(deps, node)];
    case "CallExpression":
    case "NewExpression":
      return [...inCall(deps, node)];
    case "Literal":
      return [...inRegExp(node, (node["regex"] as { pattern: string } | undefined)?.pattern)];
    case "BinaryExpression":
      return [...inComparison(deps, node)];
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [...inMerge(node)];
    default:
      return [];
  }
}

function* inOption(node: Node): Generator<Spot> {
  const name = propertyName(node);
  const value = bare(node["value"] as Node);
  const isFalse = value?.type === "Literal" && value["value"] === false;
  const isTrue = value?.type === "Literal" && value["value"] === true;
  if (
    (name === "rejectUnauthorized" || name === "strictSSL" || name === "verifySSL" || name === "sslVerify") &&
    isFalse
  )
    yield spot(
      node,
      "no-certificate-check",
      "high",
      "Certificates of other servers are not checked.",
      "Leave the check on; give the certificate authority with `ca`.",
    );
  if (
    name === "checkServerIdentity" &&
    value?.type === "ArrowFunctionExpression" &&
    /^(?:Identifier|Literal|BlockStatement)$/.test((value["body"] as Node).type) &&
    !hasStatements(value["body"] as Node)
  )
    yield spot(
      node,
      "no-certificate-check",
      "high",
      "Names in certificates are not checked.",
      "Leave out checkServerIdentity.",
    );
  if (name === "httpOnly" && isFalse)
    yield spot(
      node,
      "script-readable-cookie",
      "medium",
      "Scripts of the page can read the cookie.",
      "Set httpOnly: true.",
    );
  if (name === "secure" && isFalse && inCookie(node))
    yield spot(
      node,
      "insecure-cookie",
      "medium",
      "The cookie is sent without TLS, too.",
      "Set secure: true where the service has TLS.",
    );
  if ((name === "noEscape" && isTrue) || (name === "autoescape" && isFalse))
    yield spot(node, "no-escaping", "high", "The template engine escapes nothing.", "Leave escaping on.");
  if (
    (name === "noent" || name === "resolveExternals" || name === "expandEntities" || name === "loadExternalDtd") &&
    isTrue
  )
    yield spot(
      node,
      "xml-entities",
      "high",
      "The XML parser resolves entities, which can read files.",
      `Leave out ${name}.`,
    );
  if (name === "ignoreExpiration" && isTrue)
    yield spot(
      node,
      "token-without-expiry",
      "high",
      "Tokens count after they have expired.",
      "Leave out ignoreExpiration.",
    );
  if (
    name === "algorithms" &&
    value?.type === "ArrayExpression" &&
    (value["elements"] as Node[]).some((one) => literalText(one)?.toLowerCase() === "none")
  )
    yield spot(
      node,
      "unsigned-token",
      "critical",
      "Tokens without a signature are accepted.",
      "Name the algorithm that signs, such as HS256.",
    );
  if ((name === "algorithm" || name === "alg") && literalText(value)?.toLowerCase() === "none")
    yield spot(
      node,
      "unsigned-token",
      "critical",
      "Tokens are made without a signature.",
      "Name an algorithm that signs, such as HS256.",
    );
  if (name === "nodeIntegration" && isTrue)
    yield spot(
      node,
      "page-with-node",
      "high",
      "Pages can use Node.",
      "Set nodeIntegration: false and contextIsolation: true.",
    );
  if ((name === "contextIsolation" || name === "webSecurity") && isFalse)
    yield spot(node, "page-with-node", "high", `${name} is off: a page can reach beyond its own.`, `Leave ${name} on.`);
  if (name === "contentSecurityPolicy" && isFalse)
    yield spot(
      node,
      "no-content-policy",
      "low",
      "Pages are sent without a content security policy.",
      "Name the sources that the page uses.",
    );
  if (name === "origin" && (literalText(value) === "*" || isTrue) && isTrueOption(node.parent, "credentials"))
    yield spot(node, "any-origin", "high", "Any site may read answers with a user's cookies.", "List the origins.");
  if (name === "multipleStatements" && isTrue)
    yield spot(
      node,
      "many-statements",
      "medium",
      "One query may hold several statements, which makes an injection worse.",
      "Leave out multipleStatements.",
    );
}

function* inAssignment({ taint }: SinkDeps, node: Node): Generator<Spot> {
  const name = dottedName(node["left"] as Node) ?? "";
  const text = literalText(node["right"] as Node);
  const value = (node["right"] as Node)["value"];
  if (/NODE_TLS_REJECT_UNAUTHORIZED$/.test(name) && (text === "0" || value === 0))
    yield spot(
      node,
      "no-certificate-check",
      "high",
      "Certificates of other servers are not checked.",
      "Leave the check on; use NODE_EXTRA_CA_CERTS for an authority of your own.",
    );
  if (/(?:^|\.)__proto__$/.test(name) && taint.of(node["right"] as Node) === 2)
    yield spot(node, "prototype-pollution", "high", "Input from outside becomes a prototype.", "Copy known fields.");
  if (isWeakRandom(node["right"] as Node) && secretName.test(name)) yield weakRandom(node);
}

function* inCall(deps: SinkDeps, node: Node): Generator<Spot> {
  const { scopeOf } = deps;
  const callee = bare(node["callee"] as Node);
  const args = node["arguments"] as Node[];
  const [first, second] = args;
  const dotted = dottedName(callee) ?? propertyName(callee) ?? "";
  const last = dotted.split(".").at(-1) ?? "";
  const origin = originOf(scopeOf, callee);
  const text = literalText(first)?.toLowerCase() ?? "";
  if ((last === "createHash" || last === "createHmac") && /^(?:md5|md4|sha1|sha-1|ripemd160|rmd160)$/.test(text)) {
    const isSecret = secretName.test(nearbyNames(node));
    if (isSecret && last === "createHash")
      yield spot(
        node,
        "weak-hash",
        "high",
        `${text} protects a secret, and is quickly undone.`,
        "Use scrypt or argon2 for passwords, SHA-256 for others.",
      );
    else if (text.startsWith("md") && last === "createHash")
      yield spot(node, "weak-hash", "medium", `${text} is broken: two files can have the same hash.`, "Use SHA-256.");
  }
  if (
    last === "createHash" &&
    /^sha(?:-?(?:256|512|224|384))?$/.test(text) &&
    /passw(?:or)?d|pwd/i.test(nearbyNames(node, true))
  )
    yield spot(
      node,
      "fast-password-hash",
      "medium",
      "A fast hash protects a password: it can be guessed billions of times a second.",
      "Use scrypt or argon2 with a salt.",
    );
  if (/^(?:createCipher|createDecipher)$/.test(last) && first !== undefined)
    yield spot(
      node,
      "weak-cipher",
      "high",
      "The key is made from a password by a weak hash, without an initialisation vector.",
      "Use createCipheriv with aes-256-gcm.",
    );
  if (/^(?:createCipheriv|createDecipheriv)$/.test(last)) {
    if (/^(?:des|rc2|rc4|bf|blowfish|cast)|-ecb$/.test(text))
      yield spot(node, "weak-cipher", "high", `${text} no longer hides what it encrypts.`, "Use aes-256-gcm.");
    if ([args[1], args[2]].some((one) => one !== undefined && isLiteralBytes(deps, one)))
      yield spot(
        node,
        "fixed-key",
        "high",
        "The key or the initialisation vector stands in the program.",
        "Read the key from a variable; make the vector with randomBytes.",
      );
  }
  if (
    /^(?:pbkdf2|pbkdf2Sync)$/.test(last) &&
    typeof args[2]?.["value"] === "number" &&
    (args[2]["value"] as number) < 50_000
  )
    yield spot(
      node,
      "weak-hash",
      "medium",
      "The password is hashed too few times.",
      "Use 600,000 iterations, or scrypt.",
    );
  if (
    /(?:^|\.)(?:hash|hashSync|genSalt|genSaltSync)$/.test(dotted) &&
    origin !== undefined &&
    /bcrypt/.test(origin.module)
  ) {
    const rounds = (/genSalt/.test(last) ? first : second)?.["value"];
    if (typeof rounds === "number" && rounds < 8)
      yield spot(node, "weak-hash", "medium", "bcrypt hashes with too few rounds.", "Use at least 10 rounds.");
  }
  const isToken =
    (origin?.module === "jsonwebtoken" || /^(?:jwt|jsonwebtoken)\./.test(dotted)) && /^(?:sign|verify)$/.test(last);
  if (isToken && second !== undefined) {
    const key = constantText(deps, second);
    if (key !== undefined && key !== "" && !/^[.\w-]+\.(?:pem|key)$/.test(key))
      yield spot(
        node,
        "fixed-key",
        "high",
        "The key that signs tokens stands in the program.",
        "Read it from a variable that `secrets` of the document declares.",
      );
    if (key === "" || second["value"] === null)
      yield spot(node, "unsigned-token", "critical", "Tokens are checked without a key.", "Hand over the key.");
  }
  if (
    last === "createHmac" &&
    !comparesSafely(node) &&
    second !== undefined &&
    (constantText(deps, second)?.length ?? 0) > 0
  )
    yield spot(
      node,
      "fixed-key",
      "high",
      "The key of the signature stands in the program.",
      "Read it from a variable.",
    );
  if (/^(?:session|expressSession|cookieSession|cookieParser|expressJwt|jwt)$/.test(dotted)) {
    const secret =
      optionOf(first, "secret") ?? optionOf(first, "keys") ?? (dotted === "cookieParser" ? first : undefined);
    const value = secret?.type === "ArrayExpression" ? (secret["elements"][0] as Node | undefined) : secret;
    if (value !== undefined && (constantText(deps, value)?.length ?? 0) > 0)
      yield spot(
        node,
        "fixed-key",
        "high",
        "The key that signs sessions stands in the program.",
        "Read it from a variable that `secrets` of the document declares.",
      );
  }
  if (last === "postMessage" && literalText(second) === "*" && args.length >= 2)
    yield spot(node, "message-to-any", "medium", "Any site may read the message.", "Name the origin that it is for.");
  if (/^(?:chmod|chmodSync|fchmod|lchmod)$/.test(last) && isWorldWritable(second))
    yield spot(
      node,
      "world-writable",
      "medium",
      "Every user of the machine may change the file.",
      "Use 0o600 or 0o755.",
    );
  if (/^(?:pseudoRandomBytes)$/.test(last)) yield weakRandom(node);
  if (
    last === "Buffer" &&
    node.type === "NewExpression" &&
    dotted === "Buffer" &&
    first !== undefined &&
    first.type !== "Literal"
  )
    yield spot(
      node,
      "uninitialised-buffer",
      "low",
      "new Buffer(number) holds old memory.",
      "Use Buffer.from or Buffer.alloc.",
    );
  if (
    /^(?:parseXml|parseXmlString|parseXML)$/.test(last) &&
    origin?.module === "libxmljs" &&
    deps.taint.of(first) === 2 &&
    second === undefined
  )
    yield spot(
      node,
      "xml-entities",
      "low",
      "XML from outside is parsed; entities are off unless asked for.",
      "Keep noent off.",
    );
  if (/^(?:disable)$/.test(last) && text === "etag") return;
  if (dotted === "RegExp") yield* inRegExp(node, literalText(first));
  if (isRandomCall(node) && isForSecret(node)) yield weakRandom(node);
}

/** `signature === expected` ends at the first sign that differs, which can be measured. */
function* inComparison({ taint }: SinkDeps, node: Node): Generator<Spot> {
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

/** A group that repeats at its end and is repeated itself: the ways to read a text double with each sign. */
const nested = /\((?:\?:|\?<\w+>)?[^()]*(?:[^\\][+*]|\{\d+,\})\??(?:[^()|+*]{1,6}[?*])*\)(?:[+*]|\{\d+,\d*\})/;
/** Alternatives that read the same sign: `(a|a)*`, `(\w|\d)+`. */
const doubled = /\((?:\?:)?(\\?[\w.])\|(?:[^()|]*\|)*?(?:\1|\\w|\.)\)[+*]/;

function* inRegExp(node: Node, pattern: string | undefined): Generator<Spot> {
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
function* inMerge(node: Node): Generator<Spot> {
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

function weakRandom(node: Node): Spot {
  return spot(
    node,
    "weak-random",
    "high",
    "A secret is made by a generator whose next number can be guessed.",
    "Use crypto.randomBytes or crypto.randomUUID.",
  );
}

function isRandomCall(node: Node): boolean {
  return node.type === "CallExpression" && dottedName(node["callee"] as Node) === "Math.random";
}

function isWeakRandom(node: Node): boolean {
  for (const inner of nodesBelow(node)) if (isRandomCall(inner)) return true;
  return false;
}

/** Whether the name of the variable, property or function that a value is for speaks of a secret. */
function isForSecret(node: Node): boolean {
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
function nearbyNames(node: Node, isArgumentOnly = false): string {
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

/** The text of a literal, or of a constant that is one. */
function constantText({ scopeOf }: SinkDeps, node: Node): string | undefined {
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

function isLiteralBytes(deps: SinkDeps, node: Node): boolean {
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

function inCookie(node: Node): boolean {
  const names = ((node.parent?.["properties"] ?? []) as Node[]).map((one) => propertyName(one) ?? "");
  if (names.some((name) => /^(?:httpOnly|sameSite|maxAge|signed|expires)$/.test(name))) return true;
  const outer = node.parent?.parent;
  return outer?.type === "Property" && propertyName(outer) === "cookie";
}

function isTrueOption(node: Node | undefined, name: string): boolean {
  const value = optionOf(node, name);
  return value?.type === "Literal" && value["value"] === true;
}

function hasStatements(node: Node): boolean {
  return node.type === "BlockStatement" && (node["body"] as Node[]).length > 0;
}

function isWorldWritable(node: Node | undefined): boolean {
  const value = node?.["value"];
  if (typeof value === "number") return (value & 0o002) !== 0;
  return typeof value === "string" && /^0?o?[0-7]{0,2}[2367]$/.test(value);
}

function spot(node: Node, rule: string, severity: Severity, message: string, remedy: string): Spot {
  return { node, ruleId: `code/${rule}`, severity, message, remedy };
}

/** A signature of both sides with any key is how two texts are compared in the same time. */
function comparesSafely(node: Node): boolean {
  for (let owner = functionAround(node); owner !== undefined; owner = functionAround(owner))
    for (const inner of nodesBelow(owner))
      if (inner.type === "Identifier" && inner["name"] === "timingSafeEqual") return true;
  return false;
}
