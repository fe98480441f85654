import { dottedName, functionAround, literalText, type Node, nodesBelow, propertyName } from "./tree.ts";

/** Fields of a request that its sender fills. */
export const requestFields = new Set(
  "query body params headers cookies signedCookies url originalUrl rawBody files file hostname host path param search searchParams href querystring queryStringParameters pathParameters multiValueQueryStringParameters rawPath rawQueryString nextUrl header get json text formData data payload input fields parsedUrl".split(
    " ",
  ),
);
/** A context of a framework and an event hold much that is not the sender's. */
const contextFields = new Set(
  "query params body headers cookies url originalUrl host hostname querystring queryStringParameters pathParameters multiValueQueryStringParameters rawPath rawQueryString data".split(
    " ",
  ),
);
/** What handlers call their request. */
export const requestNames = /^(?:req|request|_req|httpRequest|incoming|incomingMessage|ctx|context|event|evt)$/;
/** Where a handler gets its request: `app.get(path, handler)`, `createServer(handler)`. */
const routeMethods = /^(?:get|post|put|patch|delete|del|all|use|route|options|head|createServer|on|handle|handler)$/;

/** Whether the sender of a request fills this field of it. */
export function isSentField(object: Node, name: string): boolean {
  const owner = dottedName(object) ?? "";
  return (/^(?:ctx|context|event|evt)$/.test(owner) ? contextFields : requestFields).has(name);
}

/** Which parameter of a function is the request, if it is handed to a router or a server; -1 if none is. */
export function handlerIndex(owner: Node): number {
  const params = owner["params"] as Node[];
  const names = params.map((one) => (one.type === "Identifier" ? (one["name"] as string) : ""));
  const answer = names.findIndex((name) => /^(?:res|response|reply|rep|_res)$/.test(name));
  if (answer > 0) return answer - 1;
  const call = owner.parent;
  if (call?.type !== "CallExpression" || (params.length !== 2 && params.length !== 3))
    return names.findIndex((name) => requestNames.test(name));
  const callee = dottedName(call["callee"] as Node) ?? "";
  const isRoute =
    routeMethods.test(callee.split(".").at(-1) ?? "") &&
    (/createServer$/.test(callee) || literalText((call["arguments"] as Node[])[0])?.startsWith("/") === true);
  return isRoute ? 0 : -1;
}

/** `event.data` of a listener that asks for `event.origin` first comes from where the page expects it. */
export function isMessageGuarded(node: Node): boolean {
  if (propertyName(node) !== "data") return false;
  const owner = functionAround(node);
  if (owner === undefined) return false;
  for (const inner of nodesBelow(owner))
    if (inner.type === "MemberExpression" && propertyName(inner) === "origin") return true;
  // A stream's chunk, a change of a database: only messages between windows are a stranger's.
  const call = owner.parent;
  return !(call?.type === "CallExpression" && literalText((call["arguments"] as Node[])[0]) === "message");
}
