import type { Spotted } from "../finding.ts";
import { argumentOf, first, isLiteral, rawArgument, type Spot, type State, spot } from "./python-calls.ts";
import { type LogicalLine, readPython } from "./python-lines.ts";
import { settings } from "./python-settings.ts";

const source =
  /\b(?:flask\.)?request\.(?:args|form|values|json|data|files|cookies|headers|get_json|get_data|query_params|query_string|GET|POST|FILES|META|COOKIES|body|path_params|path|full_path|url|stream|params|match_info|query)\b|\bself\.(?:get_argument|get_query_argument|get_body_argument|request\.)|\bself\.rfile\.read|\bself\.(?:path|headers)\b(?!\s*=)|\bevent\[\]|\bevent\.get\(/;
const localSource = /\binput\(|\bsys\.argv\b|\braw_input\(|\bsys\.stdin\b/;
const sanitizer =
  /\b(?:int|float|bool|len|escape|quote|shlex\.quote|secure_filename|html\.escape|bleach\.clean|markupsafe\.escape|uuid\.UUID|os\.path\.basename|basename|ord|hash|re\.fullmatch|isinstance|sanitize\w*|validate\w*|is_safe\w*|url_has_allowed_host_and_scheme|literal_eval|safe_join)\(/;
const sql =
  /\b(?:SELECT\s[^;]{0,300}\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|DROP\s+TABLE\b|ALTER\s+TABLE\b|CREATE\s+(?:USER|TABLE)\b|WHERE\s+\w+\s*(?:=|LIKE)|REPLACE\s+INTO\b)/i;
/** Dangerous code in Python, by rules over its tokens; comments such as `nosec` change nothing. */
export function scanPython(text: string, onLong?: (line: number) => void): Spotted[] {
  const found: Spotted[] = [];
  const state: State = { tainted: new Map(), queries: new Map(), checked: new Set(), owner: "", decorators: "" };
  for (const line of readPython(text, onLong)) {
    follow(state, line);
    for (const spot of rulesOf(state, line)) found.push({ ...spot, line: line.line, scanner: "python" });
  }
  return found;
}

/** Learns from a line which names hold what. */
function follow(state: State, { bare, full, indent }: LogicalLine): void {
  if (bare.startsWith("@")) {
    state.decorators += ` ${full}`;
    return;
  }
  const defined = /^(?:async )?def (\w+)\s*\((.*)\)/.exec(bare);
  if (defined) {
    if (indent === 0 || state.decorators !== "")
      for (const map of [state.tainted, state.queries, state.checked]) map.clear();
    state.owner = defined[1]!;
    const isRoute = /\.(?:route|get|post|put|delete|patch|api_route|websocket)\(/.test(state.decorators);
    if (isRoute)
      for (const parameter of defined[2]!.split(",")) {
        const [, name = "", type = ""] = /^\s*(\w+)\s*(?::\s*([\w.[\]| ]+))?/.exec(parameter) ?? [];
        const isPlain =
          /^(?:int|float|bool|UUID|datetime|Session|Depends|Request|Response)\b/.test(type) ||
          state.decorators.includes(`<int:${name}>`) ||
          /Depends\(/.test(parameter);
        if (name !== "" && name !== "self" && name !== "request" && !isPlain) state.tainted.set(name, 2);
      }
    state.decorators = "";
    return;
  }
  if (/^(?:class|if __name__)\b/.test(bare)) state.decorators = "";
  const check = /^(?:if|elif|assert|while)\b(.*)/.exec(bare)?.[1];
  if (check !== undefined)
    for (const name of state.tainted.keys())
      if (
        new RegExp(
          String.raw`\b${name}\b\s*(?:not )?in\b|\.(?:match|fullmatch|startswith)\([^)]*\b${name}\b|\b${name}\.(?:isalnum|isdigit|isidentifier|startswith)|\bin ${name}\b|\b(?:is_\w*|valid\w*|allowed\w*|check\w*|safe\w*)\([^)]*\b${name}\b`,
        ).test(check)
      )
        state.checked.add(name);
  const assigned =
    /^(\w+(?:\s*,\s*\w+)*)(?:\s*:\s*(?=\S)[\w.[\], |]+(?<! ))?\s*(\+?=)(?!=)\s*(.*)/.exec(bare) ??
    /^(?:async )?(?:for|with)\s.*?()()()$/.exec("");
  const loop =
    /^(?:async )?for (\w+(?:\s*,\s*\w+)*) in (.*):/.exec(bare) ?? /^(?:async )?with (.*?) as (\w+)\s*:/.exec(bare);
  if (assigned) {
    const [, names = "", operator = "", value = ""] = assigned;
    const taint = taintOf(state, value);
    for (const name of names.split(",").map((one) => one.trim())) {
      if (taint > 0) state.tainted.set(name, taint as 1 | 2);
      else if (operator === "=") state.tainted.delete(name);
      state.checked.delete(name);
      if (sql.test(full) && isBuilt(value, full)) state.queries.set(name, taint > 0);
      else if (operator === "=" && !state.queries.has(value)) state.queries.delete(name);
      else if (operator === "+=" && sql.test(full) === false && taint > 0 && state.queries.has(name))
        state.queries.set(name, true);
    }
  } else if (loop) {
    const isWith = /^(?:async )?with/.test(bare);
    const taint = taintOf(state, isWith ? loop[1]! : loop[2]!);
    for (const name of (isWith ? loop[2]! : loop[1]!).split(","))
      if (taint > 0) state.tainted.set(name.trim(), taint as 1 | 2);
  }
}

function taintOf(state: State, expression: string): 0 | 1 | 2 {
  if (sanitizer.test(expression)) return 0;
  if (source.test(expression)) return 2;
  let most: 0 | 1 | 2 = localSource.test(expression) ? 1 : 0;
  for (const name of expression.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? []) {
    const taint = state.checked.has(name) ? 0 : (state.tainted.get(name) ?? 0);
    if (taint > most) most = taint;
  }
  return most;
}

/** Whether a text is put together at run time: `f"…{x}"`, `"…" + x`, `"…" % x`, `"…".format(x)`. */
function isBuilt(bare: string, full = bare): boolean {
  return (
    /\bF""/.test(bare) ||
    /""\s*(?:\+|%)\s*(?:\(|[A-Za-z_])/.test(bare) ||
    /[\w)\]]\s*\+\s*""/.test(bare) ||
    /""\.format\(/.test(bare) ||
    (/""\.join\(/.test(bare) && /\bsql|query/i.test(full))
  );
}

function* rulesOf(state: State, { bare, full }: LogicalLine): Generator<Spot> {
  const argument = (pattern: RegExp) => argumentOf(bare, pattern);
  yield* injections(state, bare, full, argument);
  yield* settings(state, bare, full, argument);
}

function* injections(
  state: State,
  bare: string,
  full: string,
  argument: (pattern: RegExp) => string | undefined,
): Generator<Spot> {
  const level = (text: string) => taintOf(state, text);
  const code = argument(/(?<![.\w])(?:eval|exec|compile|execfile)\(/) ?? argument(/\bbuiltins\.(?:eval|exec)\(/);
  if (code !== undefined && !isLiteral(first(code))) {
    const isCompile = /(?<![.\w])compile\(/.test(bare) && !/(?<![.\w])(?:eval|exec)\(/.test(bare);
    if (level(first(code)) > 0)
      yield spot(
        "code-injection",
        "critical",
        "Input from outside is run as code.",
        "Look up what to do in a table; use ast.literal_eval for values.",
      );
    else if (!isCompile)
      yield spot(
        "dynamic-code",
        "high",
        "Text that is made at run time is run as code.",
        "Look up what to do in a table; use ast.literal_eval for values.",
      );
  }
  const shell =
    argument(
      /\b(?:os\.(?:system|popen|popen2|popen3)|commands\.getoutput|commands\.getstatusoutput|subprocess\.(?:getoutput|getstatusoutput))\(/,
    ) ?? argument(/(?<![.\w])(?:system|popen)\(/);
  const process = argument(/\b(?:subprocess\.)?(?:run|call|Popen|check_output|check_call|create_subprocess_shell)\(/);
  const runsShell =
    process !== undefined &&
    (/\bshell\s*=\s*(?:True|1)\b/.test(process) ||
      /create_subprocess_shell\(/.test(bare) ||
      (/^\s*\[\s*""\s*,\s*""\s*,/.test(process) && /\[\s*["'](?:ba)?sh["'],\s*["']-c["']/.test(full)));
  const command = shell ?? (runsShell ? process : undefined);
  const shellRemedy = "Call subprocess.run with a list of arguments and without shell=True.";
  if (command !== undefined) {
    const what = /^\s*\[/.test(command) ? command : first(command);
    if (level(what) > 0)
      yield spot(
        "command-injection",
        level(what) === 2 ? "critical" : "high",
        "Input from outside becomes part of a shell command.",
        shellRemedy,
      );
    else if (isBuilt(what) || !isLiteral(what))
      yield spot(
        "shell-command",
        isBuilt(what) ? "high" : "medium",
        "A shell runs a command that is put together at run time.",
        shellRemedy,
      );
    else if (runsShell) yield spot("shell-command", "low", "A shell runs a command that needs none.", shellRemedy);
  } else if (
    process !== undefined &&
    /\bsubprocess\.|create_subprocess_exec/.test(bare) &&
    level(first(process)) === 2 &&
    !/^\s*\[/.test(process)
  )
    yield spot(
      "command-injection",
      "critical",
      "Input from outside names the program that is started.",
      "Choose from a fixed list of programs.",
    );
  const query =
    argument(/\.(?:execute|executemany|executescript|raw|extra|fetch|fetchrow|fetchval|read_sql|read_sql_query)\(/) ??
    argument(/(?<![.\w])(?:text|read_sql|RawSQL)\(/);
  if (query !== undefined) {
    const what = first(query);
    const built = state.queries.get(what.trim());
    if ((isBuilt(what) && sql.test(full)) || built !== undefined)
      yield spot(
        "sql-injection",
        level(what) > 0 || built === true ? "critical" : "high",
        "A query is put together from text at run time.",
        "Write a placeholder (%s, ?) and hand over the values as parameters.",
      );
    else if (level(what) === 2 && /\.(?:execute|executescript|raw)\(/.test(bare))
      yield spot(
        "sql-injection",
        "critical",
        "Input from outside becomes a query.",
        "Write the query; hand over values as parameters.",
      );
  }
  const file =
    argument(/(?<![.\w])(?:open|send_file|send_from_directory|FileResponse|Path)\(/) ??
    argument(
      /\b(?:os\.(?:remove|unlink|rmdir|listdir|makedirs|rename)|shutil\.(?:rmtree|copy|copyfile|move)|io\.open|codecs\.open|os\.open|aiofiles\.open|flask\.send_file)\(/,
    );
  if (file !== undefined && level(/send_from_directory/.test(bare) ? "" : first(file)) === 2)
    yield spot(
      "path-traversal",
      "high",
      "Input from outside reaches a file path.",
      "Resolve the path and refuse it unless it stays below the folder.",
    );
  const saved = argument(/\.save\(/);
  if (
    (saved !== undefined && level(saved) === 2 && /os\.path\.join|\+|F""/.test(saved)) ||
    (/\.save\(.*\.filename/.test(bare) && !/secure_filename/.test(bare))
  )
    yield spot(
      "path-traversal",
      "high",
      "A name from outside becomes the path of an uploaded file.",
      "Use secure_filename, or make a name of your own.",
    );
  const url =
    argument(
      /\b(?:requests|httpx|session|urllib\.request|urllib2|aiohttp|client)\.(?:get|post|put|delete|head|patch|request|urlopen|urlretrieve)\(/,
    ) ?? argument(/(?<![.\w])(?:urlopen|urlretrieve)\(/);
  if (
    url !== undefined &&
    level(/\.request\(\s*""/.test(bare) ? url : first(url)) === 2 &&
    !/^\s*[fF]?["']https?:\/\/[^"'{]+\//.test(rawArgument(full))
  )
    yield spot(
      "server-side-request",
      "high",
      "Input from outside decides which address the program calls.",
      "Compare the host with a list of allowed ones, and refuse private addresses.",
    );
  const target =
    argument(/(?<![.\w])(?:redirect|HttpResponseRedirect|RedirectResponse|HttpResponsePermanentRedirect)\(/) ??
    argument(/\bself\.redirect\(/);
  if (target !== undefined && level(first(target)) === 2 && !/url_for\(/.test(target))
    yield spot(
      "open-redirect",
      "medium",
      "Input from outside decides where the browser goes.",
      "Allow only paths of your own, or a list of hosts.",
    );
  const template = argument(/\b(?:render_template_string|from_string)\(/) ?? argument(/(?<![.\w])Template\(/);
  if (
    template !== undefined &&
    (level(first(template)) > 0 || (isBuilt(first(template)) && !/(?<![.\w])Template\(/.test(bare)))
  )
    yield spot(
      "template-injection",
      "high",
      "Text that is made at run time becomes a template, which can run code.",
      "Hand it to a fixed template as a value.",
    );
  const html =
    argument(/(?<![.\w])(?:Markup|mark_safe|HttpResponse|HTMLResponse|make_response|format_html|SafeString)\(/) ??
    /^return\s+(.*)/.exec(bare)?.[1];
  if (html !== undefined && level(html) === 2 && /<[a-z!/]/i.test(full) && isBuilt(html))
    yield spot(
      "cross-site-scripting",
      "high",
      "Input from outside is sent back as HTML.",
      "Escape it, or render it with a template that escapes.",
    );
  else if (/(?<![.\w])(?:mark_safe|SafeString)\(/.test(bare) && html !== undefined && !isLiteral(first(html)))
    yield spot(
      "no-escaping",
      "medium",
      "Text that is made at run time counts as safe HTML.",
      "Use format_html, or escape it.",
    );
  const pickled =
    argument(
      /\b(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal|jsonpickle|joblib|shelve|pandas|pd|torch|numpy|np)\.(?:loads?|decode|open|read_pickle|Unpickler)\(/,
    ) ?? argument(/(?<![.\w])(?:Unpickler|read_pickle)\(/);
  const isPickle =
    (pickled !== undefined && !/\b(?:torch|numpy|np)\.load\(/.test(bare)) ||
    /\b(?:numpy|np)\.load\(.*allow_pickle\s*=\s*True/.test(bare) ||
    (/\btorch\.load\(/.test(bare) && !/weights_only\s*=\s*True/.test(bare));
  if (isPickle)
    yield spot(
      "unsafe-deserialization",
      level(pickled ?? "") > 0 ? "critical" : "high",
      "Reading this format runs code that stands in it.",
      "Use JSON.",
    );
  if (
    /\byaml\.(?:unsafe_load|unsafe_load_all|full_load)\(/.test(bare) ||
    (/\byaml\.load(?:_all)?\(/.test(bare) && !/C?SafeLoader|C?BaseLoader/.test(bare))
  )
    yield spot("unsafe-deserialization", "high", "YAML is read with a loader that runs code.", "Use yaml.safe_load.");
  const loaded = argument(/(?<![.\w])__import__\(/) ?? argument(/\bimportlib\.import_module\(/);
  if (loaded !== undefined && level(first(loaded)) > 0)
    yield spot(
      "code-injection",
      "high",
      "Input from outside names the module that is loaded.",
      "Choose from a fixed list of modules.",
    );
  if (
    /\.(?:search_s|search_ext_s|search)\(/.test(bare) &&
    /["']\((?:&|\||\w+=)/.test(full) &&
    isBuilt(bare) &&
    level(bare) > 0
  )
    yield spot(
      "ldap-injection",
      "high",
      "Input from outside becomes part of a directory query.",
      "Use ldap.filter.escape_filter_chars.",
    );
  const xml = argument(
    /\b(?:etree|ET|ElementTree|minidom|sax|pulldom|expatbuilder|objectify|lxml\.etree)\.(?:parse|parseString|fromstring|XML|iterparse)\(/,
  );
  if (xml !== undefined && level(xml) === 2)
    yield spot(
      "xml-entities",
      "high",
      "XML from outside is parsed by a parser that expands entities.",
      "Use defusedxml.",
    );
}
