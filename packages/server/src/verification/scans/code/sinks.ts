import { builtText, hasFixedHost, isFixed, type SinkDeps, type Spot } from "./built-text.ts";
import { ofCode, ofCommands } from "./command-sinks.ts";
import { originOf } from "./modules.ts";
import { ofQueries } from "./query-sinks.ts";
import { isField, isWhole, tainted } from "./request-values.ts";
import { bare, dottedName, literalText, type Node, optionOf, propertyName } from "./tree.ts";

const fileCalls =
  /^(?:readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|appendFile|appendFileSync|open|openSync|unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|readdir|readdirSync|stat|statSync|access|accessSync|exists|existsSync|copyFile|copyFileSync|rename|renameSync|mkdir|mkdirSync|symlink|link|readJson|readJSON|outputFile|remove|cp|cpSync)$/;
const requesters = /^(?:axios|got|node-fetch|undici|request|superagent|needle|http|https|ky|cross-fetch|phin|bent)$/;

/** Dangerous calls and assignments that a stranger's value reaches, or that take text made at run time. */
export function findFlows(deps: SinkDeps, node: Node): Spot[] {
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      return [...inCall(deps, node)];
    case "AssignmentExpression":
      return [...inAssignment(deps, node)];
    case "ImportExpression":
      return deps.taint.of(node["source"] as Node) === 2
        ? [
            tainted(
              node,
              "code-injection",
              "critical",
              "loads a module that a request names",
              "Choose from a fixed list of modules.",
            ),
          ]
        : [];
    case "Property":
      return [...inOperator(deps, node)];
    case "JSXAttribute":
      return [...inAttribute(deps, node)];
    default:
      return [];
  }
}

function* inCall(deps: SinkDeps, node: Node): Generator<Spot> {
  const { taint, scopeOf } = deps;
  const callee = bare(node["callee"] as Node);
  const args = node["arguments"] as Node[];
  const [first] = args;
  if (callee === undefined) return;
  const dotted = dottedName(callee) ?? propertyName(callee) ?? "";
  const last = dotted.split(".").at(-1) ?? "";
  const origin = originOf(scopeOf, callee);
  if (first === undefined) return;
  yield* ofCommands(deps, node, origin, last);
  yield* ofCode(deps, node, origin, dotted);
  yield* ofQueries(deps, node, callee, last);
  if (node.type === "CallExpression") yield* ofAnswers(deps, node, callee, last);
  const isFile =
    (origin !== undefined && /^(?:fs|fs-extra|graceful-fs)$/.test(origin.module) && fileCalls.test(origin.name)) ||
    (/^(?:sendFile|sendfile|download)$/.test(last) && /^(?:res|response|reply|rep|ctx|this)\b/.test(dotted));
  if (isFile) {
    const isRooted = /^(?:sendFile|sendfile|download)$/.test(last) && optionOf(args[1], "root") !== undefined;
    const isTainted = args
      .slice(0, /^(?:copyFile|rename|cp|link|symlink)/.test(last) ? 2 : 1)
      .some((one) => taint.of(one) === 2 && !taint.isGuarded(one));
    if (isTainted && !isRooted)
      yield tainted(
        node,
        "path-traversal",
        "high",
        "reaches a file path",
        "Resolve the path and refuse it unless it stays below the folder, or choose from known names.",
      );
  }
  const isRequest =
    dotted === "fetch" ||
    (origin !== undefined &&
      requesters.test(origin.module) &&
      /^(?:default|get|post|put|patch|delete|head|request|fetch|stream)$/.test(origin.name));
  if (isRequest) {
    const url = optionOf(first, "url") ?? optionOf(first, "hostname") ?? optionOf(first, "host") ?? first;
    if (taint.of(url) === 2 && !hasFixedHost(deps, url) && !taint.isGuarded(url))
      yield tainted(
        node,
        "server-side-request",
        "high",
        "decides which address the program calls",
        "Compare the host with a list of allowed ones, and refuse private addresses.",
      );
  }
  if (dotted === "RegExp" && taint.of(first) === 2 && !taint.isGuarded(first))
    yield tainted(
      node,
      "regexp-injection",
      "medium",
      "becomes a regular expression",
      "Escape it, or compare texts instead.",
    );
  if (last === "html" && callee.type === "MemberExpression" && taint.of(first) === 2)
    yield tainted(node, "cross-site-scripting", "high", "becomes HTML of the page", "Use text() instead of html().");
  if (
    /^(?:insertAdjacentHTML|write|writeln|parseHTML|append|prepend|after|before)$/.test(last) &&
    (/^document\./.test(dotted) || last === "insertAdjacentHTML") &&
    args.some((one) => taint.of(one) === 2)
  )
    yield tainted(node, "cross-site-scripting", "high", "becomes HTML of the page", "Use textContent, or sanitize it.");
  if (
    /^(?:assign|merge|defaultsDeep|extend|set)$/.test(last) &&
    /^(?:Object|_|lodash|\$|jQuery|deepmerge)?\.?(?:assign|merge|defaultsDeep|extend|set)$/.test(dotted) &&
    first.type !== "ObjectExpression" &&
    args.slice(1).some((one) => isWhole(deps, one))
  )
    yield tainted(
      node,
      "mass-assignment",
      "medium",
      "overwrites fields of an object that it may name itself",
      "Copy the fields that a caller may set, one by one.",
    );
  if (
    /^(?:create|insertOne|insert|update|updateOne|findByIdAndUpdate|findOneAndUpdate|bulkCreate|build)$/.test(last) &&
    /^[A-Z]\w*\.\w+$|(?:db|prisma|models?|collection)\b.*\.\w+$/.test(dotted) &&
    args.some((one) => isWhole(deps, one))
  )
    yield tainted(
      node,
      "mass-assignment",
      "medium",
      "sets fields of a record that it may name itself",
      "Copy the fields that a caller may set, one by one.",
    );
}

/** What goes back to a browser: redirects, headers, HTML. */
function* ofAnswers(deps: SinkDeps, node: Node, callee: Node, last: string): Generator<Spot> {
  const { taint } = deps;
  if (callee.type !== "MemberExpression") return;
  const args = node["arguments"] as Node[];
  const [first, second] = args;
  const object =
    dottedName(callee["object"] as Node) ??
    dottedName(bare((bare(callee["object"] as Node) ?? callee)["callee"] as Node | undefined)) ??
    "";
  const isAnswer = /(?:^|\.)(?:res|response|reply|rep|ctx|c|h|_res|Response|NextResponse)(?:\.|$)/.test(object);
  const redirect = "Compare it with a list of addresses, or allow only paths of your own that begin with one slash.";
  const isOpen = (one: Node | undefined) =>
    one !== undefined && taint.of(one) === 2 && !hasFixedHost(deps, one) && !taint.isGuarded(one);
  if (last === "redirect" && args.some(isOpen))
    yield tainted(node, "open-redirect", "medium", "decides where the browser goes", redirect);
  if (
    /^(?:assign|replace|open)$/.test(last) &&
    /^(?:window|location|window\.location|document\.location)$/.test(object) &&
    isOpen(first)
  )
    yield tainted(node, "open-redirect", "medium", "decides where the browser goes", redirect);
  if (!isAnswer) return;
  const headers = last === "writeHead" ? args.at(-1) : undefined;
  const location =
    optionOf(headers, "Location") ??
    optionOf(headers, "location") ??
    (/^(?:setHeader|set|header|append)$/.test(last) && literalText(first)?.toLowerCase() === "location"
      ? second
      : undefined);
  if (isOpen(location)) yield tainted(node, "open-redirect", "medium", "decides where the browser goes", redirect);
  const origin =
    optionOf(headers, "Access-Control-Allow-Origin") ??
    (/^(?:setHeader|set|header)$/.test(last) && literalText(first)?.toLowerCase() === "access-control-allow-origin"
      ? second
      : undefined);
  if (origin !== undefined && taint.of(origin) === 2 && !taint.isGuarded(origin))
    yield tainted(
      node,
      "any-origin",
      "medium",
      "decides which sites may read the answer",
      "Compare the origin with a list.",
    );
  if (/^(?:send|end|write|html)$/.test(last) && first !== undefined && taint.of(first) === 2) {
    const built = builtText(deps, first);
    const isHtml = built !== undefined && [built.head, ...built.texts].some((text) => /<\/?[a-z!][^\n]*|>/i.test(text));
    const isRaw =
      last === "send" &&
      built === undefined &&
      /^(?:Identifier|MemberExpression)$/.test(bare(first)?.type ?? "") &&
      isField(deps, first);
    if ((isHtml || isRaw) && !taint.isGuarded(first))
      yield tainted(
        node,
        "cross-site-scripting",
        "high",
        "is sent back as HTML",
        "Escape it, or render it with a template that escapes.",
      );
  }
}

function* inAssignment({ taint, scopeOf, ...rest }: SinkDeps, node: Node): Generator<Spot> {
  const deps = { taint, scopeOf, ...rest };
  const left = bare(node["left"] as Node);
  const right = node["right"] as Node;
  if (left?.type !== "MemberExpression" && left?.type !== "Identifier") return;
  const name = left.type === "MemberExpression" ? propertyName(left) : (left["name"] as string);
  if (
    left.type === "MemberExpression" &&
    (name === "innerHTML" || name === "outerHTML" || name === "srcdoc") &&
    taint.of(right) === 2
  )
    yield tainted(node, "cross-site-scripting", "high", "becomes HTML of the page", "Use textContent, or sanitize it.");
  const dotted = dottedName(left) ?? "";
  if (
    /^(?:(?:window|document|top|parent|self)\.)?location(?:\.href)?$/.test(dotted) &&
    taint.of(right) === 2 &&
    !hasFixedHost(deps, right) &&
    !taint.isGuarded(right) &&
    !/^(?:(?:window|document)\.)?location\./.test(dottedName(right) ?? "")
  )
    yield tainted(
      node,
      "open-redirect",
      "medium",
      "decides where the browser goes",
      "Compare it with a list of addresses.",
    );
  if (
    left.type === "MemberExpression" &&
    left["computed"] === true &&
    taint.of(left["property"] as Node) === 2 &&
    !taint.isGuarded(left["property"] as Node) &&
    taint.of(right) === 2
  )
    yield tainted(
      node,
      "prototype-pollution",
      "high",
      "names the property that is set, which may be __proto__",
      "Use a Map, or refuse __proto__, constructor and prototype.",
    );
}

/** A condition that the database runs as code. */
function* inOperator(deps: SinkDeps, node: Node): Generator<Spot> {
  const name = propertyName(node);
  const value = node["value"] as Node;
  if ((name !== "$where" && name !== "$function" && name !== "$accumulator") || isFixed(deps, value)) return;
  if (bare(value)?.type === "ObjectExpression") return;
  const severity = deps.taint.of(value) === 2 ? "critical" : "high";
  const message = "Text that is made at run time is run as code by the database.";
  yield { node, ruleId: "code/nosql-injection", severity, message, remedy: "Compare fields instead of using $where." };
}

function* inAttribute({ taint }: SinkDeps, node: Node): Generator<Spot> {
  if ((node["name"] as Node)["name"] !== "dangerouslySetInnerHTML") return;
  const html = optionOf((node["value"] as Node | null)?.["expression"] as Node | undefined, "__html");
  if (html === undefined || literalText(html) !== undefined) return;
  const isClean =
    html.type === "CallExpression" && /sanit|purify|escape/i.test(dottedName(html["callee"] as Node) ?? "");
  if (taint.of(html) === 2)
    yield tainted(
      node,
      "cross-site-scripting",
      "high",
      "becomes HTML of the page",
      "Render it as text, or sanitize it.",
    );
  else if (!isClean)
    yield {
      node,
      ruleId: "code/unsanitized-html",
      severity: "medium",
      message: "HTML that is made at run time goes into the page as it is.",
      remedy: "Render it as text, or sanitize it.",
    };
}
