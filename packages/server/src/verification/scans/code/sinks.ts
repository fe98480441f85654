import type { Severity } from "../finding.ts";
import { originOf } from "./modules.ts";
import type { Taint, TaintFinder } from "./taint.ts";
import { bare, dottedName, literalText, type Node, optionOf, propertyName, type ScopeOf, variableOf } from "./tree.ts";

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

const execs = /^(?:exec|execSync)$/;
const spawns = /^(?:spawn|spawnSync|execFile|execFileSync|fork)$/;
const shells = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|zsh|dash|cmd(?:\.exe)?|powershell|pwsh)$/;
const fileCalls =
  /^(?:readFile|readFileSync|createReadStream|writeFile|writeFileSync|createWriteStream|appendFile|appendFileSync|open|openSync|unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|readdir|readdirSync|stat|statSync|access|accessSync|exists|existsSync|copyFile|copyFileSync|rename|renameSync|mkdir|mkdirSync|symlink|link|readJson|readJSON|outputFile|remove|cp|cpSync)$/;
const sqlMethods =
  /^(?:query|queryRaw|execute|exec|raw|run|all|get|each|prepare|unsafe|\$queryRawUnsafe|\$executeRawUnsafe|literal|many|one|none|any|oneOrNone|manyOrNone|result|whereRaw|orderByRaw|selectRaw|havingRaw|executeSql|batch)$/;
const sqlText =
  /^[\s(]*(?:SELECT\s|INSERT\s+(?:INTO|OR)\s|UPDATE\s+\S+\s+SET\b|UPDATE\s*$|DELETE\s+FROM\s|DROP\s+(?:TABLE|DATABASE)|ALTER\s+TABLE|TRUNCATE\s|CREATE\s+(?:TABLE|USER|DATABASE)|REPLACE\s+INTO|MERGE\s+INTO|WITH\s+\w+\s+AS|EXEC(?:UTE)?\s|GRANT\s|CALL\s)/i;
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

function* ofCommands(deps: SinkDeps, node: Node, origin: ReturnType<typeof originOf>, last: string): Generator<Spot> {
  const { taint } = deps;
  const args = node["arguments"] as Node[];
  const [first] = args;
  const isShelljs = origin?.module === "shelljs" && execs.test(origin.name);
  const isExeca =
    origin?.module === "execa" && /^(?:execa|execaCommand|execaSync|command|commandSync|default)$/.test(origin.name);
  if (origin?.module !== "child_process" && !isShelljs && !isExeca) return;
  const name = isShelljs ? "exec" : (origin?.name ?? last);
  const isShell = execs.test(name) || /^(?:execaCommand|command)/.test(name);
  const hasShell = args.some(
    (one) => isTrue(optionOf(one, "shell")) || literalText(optionOf(one, "shell")) !== undefined,
  );
  const runsShell = (spawns.test(name) || isExeca) && (hasShell || shells.test(literalText(first) ?? ""));
  const level = Math.max(...args.slice(0, 2).map((one) => taint.of(one))) as Taint;
  if (isShell || runsShell) {
    if (level > 0)
      yield tainted(
        node,
        "command-injection",
        level === 2 ? "critical" : "high",
        "becomes part of a shell command",
        "Call execFile or spawn with an array of arguments and no shell.",
      );
    else if ([first, ...(runsShell ? [args[1]] : [])].some((one) => one !== undefined && !isFixed(deps, one)))
      yield {
        node,
        ruleId: "code/shell-command",
        severity: "medium",
        message: "A shell runs a command that is put together at run time.",
        remedy: "Call execFile or spawn with an array of arguments and no shell.",
      };
    return;
  }
  if (spawns.test(name) && taint.of(first) > 0)
    yield tainted(
      node,
      "command-injection",
      taint.of(first) === 2 ? "critical" : "high",
      "names the program that is started",
      "Choose from a fixed list of programs.",
    );
}

function* ofCode(deps: SinkDeps, node: Node, origin: ReturnType<typeof originOf>, dotted: string): Generator<Spot> {
  const { taint, scopeOf } = deps;
  const args = node["arguments"] as Node[];
  const [first] = args;
  if (first === undefined) return;
  const remedy = "Parse the value (JSON.parse) or look up what to do in a table; never run text.";
  const plain = dotted.replace(/^(?:window|globalThis|global|self)\./, "");
  const isEval =
    (plain === "eval" && (dotted !== "eval" || variableOf(scopeOf, node["callee"] as Node) === undefined)) ||
    plain === "Function" ||
    (origin?.module === "vm" && /^(?:runIn|Script|compileFunction|SourceTextModule)/.test(origin.name)) ||
    plain === "execScript";
  if (isEval) {
    const code = plain === "Function" ? args : [first];
    const level = Math.max(...code.map((one) => taint.of(one)));
    if (level > 0) yield tainted(node, "code-injection", "critical", "is run as code", remedy);
    else if (code.some((one) => !isFixed(deps, one)))
      yield {
        node,
        ruleId: "code/dynamic-code",
        severity: "high",
        message: "Text that is made at run time is run as code.",
        remedy,
      };
    else if (plain === "eval")
      yield {
        node,
        ruleId: "code/eval",
        severity: "low",
        message: "eval runs a text as code.",
        remedy: "Write the code itself.",
      };
  }
  if (
    /^(?:setTimeout|setInterval|setImmediate)$/.test(plain) &&
    (taint.of(first) > 0 || isBuiltText(deps, first)) &&
    !/Function/.test(first.type)
  )
    yield tainted(
      node,
      "code-injection",
      taint.of(first) > 0 ? "critical" : "high",
      "is run as code by a timer",
      "Hand over a function.",
    );
  const isTemplate =
    /^(?:ejs|pug|jade|handlebars|Handlebars|nunjucks|mustache|doT|dot|_|lodash|eta|swig|Liquid|twig|velocity)\.(?:render|compile|renderString|template|parse|parseAndRender)$/.test(
      dotted,
    ) ||
    (origin !== undefined &&
      /^(?:ejs|pug|handlebars|nunjucks|dot|eta)$/.test(origin.module) &&
      /^(?:render|compile|renderString|template)$/.test(origin.name));
  if (isTemplate && taint.of(first) === 2)
    yield tainted(
      node,
      "template-injection",
      "high",
      "becomes a template, which can run code",
      "Hand it to a fixed template as a value.",
    );
  if ((dotted === "require" || dotted === "import") && taint.of(first) === 2)
    yield tainted(
      node,
      "code-injection",
      "critical",
      "names the module that is loaded",
      "Choose from a fixed list of modules.",
    );
  if (
    (origin !== undefined && /^(?:node-serialize|serialize-to-js|funcster|cryo)$/.test(origin.module)) ||
    /(?:^|\.)unserialize$/.test(dotted)
  )
    yield {
      node,
      ruleId: "code/unsafe-deserialization",
      severity: taint.of(first) > 0 ? "critical" : "high",
      message: "A value is rebuilt with the functions in it.",
      remedy: "Use JSON.parse.",
    };
  if (
    /^(?:yaml|jsyaml)\.(?:load|loadAll)$/.test(dotted) &&
    /(?:UNSAFE|FULL)/.test(dottedName(optionOf(args[1], "schema")) ?? "")
  )
    yield {
      node,
      ruleId: "code/unsafe-deserialization",
      severity: "high",
      message: "YAML is read with a schema that runs code.",
      remedy: "Leave out the schema.",
    };
}

function* ofQueries(deps: SinkDeps, node: Node, callee: Node, last: string): Generator<Spot> {
  const { taint } = deps;
  const [first, second] = node["arguments"] as Node[];
  if (first === undefined || callee.type !== "MemberExpression") {
    if (
      !(callee.type === "Identifier" && /^(?:query|sql|execute|raw|runQuery|dbQuery)$/i.test(last)) ||
      first === undefined
    )
      return;
  }
  const remedy = "Write a placeholder ($1, ?) and hand over the value as a parameter.";
  const text = optionOf(first, "text") ?? optionOf(first, "sql") ?? first!;
  const built = builtText(deps, text);
  if (sqlMethods.test(last) || callee.type === "Identifier") {
    if (built !== undefined && sqlText.test(built.head)) {
      const level = Math.max(0, ...built.parts.map((one) => taint.of(one)));
      if (level > 0)
        yield tainted(node, "sql-injection", level === 2 ? "critical" : "high", "becomes part of a query", remedy);
      else if (built.parts.some((one) => !isSqlSafe(deps, one, text)))
        yield {
          node,
          ruleId: "code/sql-string",
          severity: "medium",
          message: "A query is put together from text at run time.",
          remedy,
        };
    } else if (
      /Unsafe$|^unsafe$|Raw$|^raw$|^query$|^execute$/.test(last) &&
      taint.of(text) === 2 &&
      built === undefined &&
      /^(?:Identifier|MemberExpression)$/.test(bare(text)?.type ?? "")
    )
      yield tainted(node, "sql-injection", "critical", "becomes a query", remedy);
  }
  if (
    /^(?:find|findOne|findOneAndUpdate|findOneAndDelete|updateOne|updateMany|deleteOne|deleteMany|countDocuments|count|aggregate|where|exists)$/.test(
      last,
    )
  ) {
    const where = optionOf(first, "$where");
    if (where !== undefined && !isFixed(deps, where))
      yield tainted(
        node,
        "nosql-injection",
        taint.of(where) === 2 ? "critical" : "high",
        "is run as code by the database",
        "Compare fields instead of using $where.",
      );
    else if (
      isWhole(deps, first!) ||
      (bare(first)?.type === "ObjectExpression" &&
        /^(?:find|update|delete|count)/.test(last) &&
        (bare(first)!["properties"] as Node[]).some(
          (one) => one.type === "Property" && isField(deps, one["value"] as Node),
        ))
    )
      yield tainted(
        node,
        "nosql-injection",
        "high",
        "may be an object with operators in a database query",
        "Require a text: String(value), or a schema.",
      );
  }
  if (/^(?:search|searchAsync)$/.test(last) && second !== undefined) {
    const filter = builtText(deps, optionOf(second, "filter") ?? second);
    if (filter !== undefined && /^\s*\([&|!(\w]/.test(filter.head) && filter.parts.some((one) => taint.of(one) === 2))
      yield tainted(node, "ldap-injection", "high", "becomes part of a directory query", "Escape it for LDAP filters.");
  }
  if (
    /^(?:evaluate|select|select1)$/.test(last) &&
    built !== undefined &&
    /^\.?\//.test(built.head) &&
    built.parts.some((one) => taint.of(one) === 2)
  )
    yield tainted(node, "xpath-injection", "high", "becomes part of an XPath query", "Hand it over as a variable.");
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

function tainted(node: Node, rule: string, severity: Severity, what: string, remedy: string): Spot {
  return { node, ruleId: `code/${rule}`, severity, message: `Input from outside ${what}.`, remedy };
}

/** A request's whole body or query: an object whose keys its sender chooses. */
function isWhole({ taint }: SinkDeps, node: Node): boolean {
  const inner = bare(node);
  if (inner?.type === "SpreadElement") return false;
  return (
    inner?.type === "MemberExpression" &&
    /^(?:body|query)$/.test(propertyName(inner) ?? "") &&
    taint.isRequest(inner["object"] as Node)
  );
}

/** A field of a request's body or query, as it came. */
function isField({ taint, scopeOf }: SinkDeps, node: Node): boolean {
  const inner = bare(node);
  if (inner?.type === "Identifier") {
    const def = variableOf(scopeOf, inner)?.defs[0];
    const init = bare(def?.type === "Variable" ? (def.node["init"] as Node | null) : undefined);
    if (init?.type !== "MemberExpression") return false;
    return (
      (/^(?:body|query)$/.test(propertyName(init) ?? "") || isField({ taint, scopeOf }, init)) &&
      taint.of(init) === 2 &&
      !taint.isGuarded(inner)
    );
  }
  if (inner?.type !== "MemberExpression") return false;
  const object = bare(inner["object"] as Node);
  return (
    object?.type === "MemberExpression" &&
    /^(?:body|query)$/.test(propertyName(object) ?? "") &&
    taint.isRequest(object["object"] as Node)
  );
}

interface Built {
  readonly head: string;
  readonly texts: readonly string[];
  readonly parts: readonly Node[];
}

/** A text put together from texts and values; undefined for anything else. Follows names to what they were set to. */
function builtText(deps: SinkDeps, node: Node | undefined, depth = 0): Built | undefined {
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

function isBuiltText(deps: SinkDeps, node: Node): boolean {
  const built = builtText(deps, node);
  return built?.parts.some((one) => !isFixed(deps, one)) ?? false;
}

/** Whether an expression is known before the program runs: literals, constants, and what is made of them. */
function isFixed(deps: SinkDeps, node: Node | undefined, depth = 0): boolean {
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
function isSqlSafe(deps: SinkDeps, part: Node, _whole: Node): boolean {
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
function hasFixedHost(deps: SinkDeps, node: Node): boolean {
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

function isTrue(node: Node | undefined): boolean {
  return node?.type === "Literal" && node["value"] === true;
}
