import type { Spot } from "./built-text.ts";
import { spot } from "./insecure-spot.ts";
import { bare, literalText, type Node, optionOf, propertyName } from "./tree.ts";

export function* inOption(node: Node): Generator<Spot> {
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
