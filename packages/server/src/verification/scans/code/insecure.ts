import type { SinkDeps, Spot } from "./built-text.ts";
import { constantText, isLiteralBytes } from "./constant-values.ts";
import { comparesSafely, inComparison } from "./insecure-comparison.ts";
import { inOption } from "./insecure-options.ts";
import { inMerge, inRegExp } from "./insecure-shapes.ts";
import { spot } from "./insecure-spot.ts";
import { originOf } from "./modules.ts";
import { isForSecret, nearbyNames, secretName } from "./secret-names.ts";
import { bare, dottedName, literalText, type Node, nodesBelow, optionOf, propertyName } from "./tree.ts";

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

function isWorldWritable(node: Node | undefined): boolean {
  const value = node?.["value"];
  if (typeof value === "number") return (value & 0o002) !== 0;
  return typeof value === "string" && /^0?o?[0-7]{0,2}[2367]$/.test(value);
}
