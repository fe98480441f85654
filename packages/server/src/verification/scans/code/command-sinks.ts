import { isBuiltText, isFixed, isTrue, type SinkDeps, type Spot } from "./built-text.ts";
import type { originOf } from "./modules.ts";
import { tainted } from "./request-values.ts";
import type { Taint } from "./taint.ts";
import { dottedName, literalText, type Node, optionOf, variableOf } from "./tree.ts";

const execs = /^(?:exec|execSync)$/;

const spawns = /^(?:spawn|spawnSync|execFile|execFileSync|fork)$/;

const shells = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|zsh|dash|cmd(?:\.exe)?|powershell|pwsh)$/;

export function* ofCommands(
  deps: SinkDeps,
  node: Node,
  origin: ReturnType<typeof originOf>,
  last: string,
): Generator<Spot> {
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

export function* ofCode(
  deps: SinkDeps,
  node: Node,
  origin: ReturnType<typeof originOf>,
  dotted: string,
): Generator<Spot> {
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
