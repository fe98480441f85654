import { checkTypeName, checkTypeSchema, parseSpec } from "@slipway/spec";

/** The version of the plugin interface that this service supports. */
const pluginApiVersion = "v1";

/** Stands for a function where a plugin's description comes over a pipe. */
const functionMark = "[function]";

const pluginKeys = [
  "api_version",
  "name",
  "version",
  "outcome_types",
  "acceptance_checks",
  "artifact_types",
  "secret_providers",
  "agent_drivers",
];
const typeKeys = ["name", "languages", "schema", "acceptance_defaults", "stack_defaults", "plan", "build", "checks"];
/** Built-in keys of `acceptance`, and built-in artifact types. */
const acceptanceKeys = [
  "tests",
  "http_endpoints",
  "service_health",
  "integration_tests",
  "actors",
  "commands",
  "performance",
];
const artifactNames = [
  ...["source_code", "task_breakdown", "test_results", "coverage", "security_scan", "sbom", "acceptance_report"],
  ...["performance_report", "deployment_report", "logs", "documentation", "patch", "merge_report", "judgement"],
];

const maxTypes = 100;
/** Each is compared with every file of a result. */
const maxPaths = 200;
const maxProblems = 5;

/** Checks what a package exports as a plugin; returns the first few problems. The value is untrusted. */
export function checkPlugin(exported: unknown): string[] {
  if (!isMap(exported))
    return ["It does not export a plugin: a map with 'api_version', 'name', 'version' and 'outcome_types'."];
  const { api_version } = exported;
  if (api_version !== pluginApiVersion)
    return [`Its api_version is ${describeVersion(api_version)}. This service supports '${pluginApiVersion}'.`];
  const problems = [
    ...unknownKeys(exported, pluginKeys, ""),
    ...textProblems(exported, ["name", "version"], ""),
    ...typeProblems(exported["outcome_types"]),
    ...listProblems(exported, "acceptance_checks", "check"),
    ...takenNames(exported["acceptance_checks"], "acceptance_checks", acceptanceKeys),
    ...takenNames(exported["artifact_types"], "artifact_types", artifactNames),
    ...listProblems(exported, "artifact_types"),
    ...artifactProblems(exported["artifact_types"]),
    ...listProblems(exported, "secret_providers", "read"),
    ...listProblems(exported, "agent_drivers", "start"),
  ];
  return problems.slice(0, maxProblems);
}

function typeProblems(types: unknown): string[] {
  if (!Array.isArray(types) || types.length > maxTypes)
    return [`'outcome_types' must be a list of at most ${maxTypes}.`];
  const names = types.map((type) => (isMap(type) ? type["name"] : undefined));
  return types.flatMap((type, index) => {
    const at = `outcome_types[${index}]`;
    if (!isMap(type)) return [`'${at}' must be a map.`];
    const name = checkTypeName(type["name"]);
    if (name !== undefined) return [`'${at}.name' ${name}.`];
    if (names.indexOf(type["name"]) !== index) return [`'${at}.name' repeats the name '${String(type["name"])}'.`];
    return [
      ...unknownKeys(type, typeKeys, `${at}.`),
      ...(isTexts(type["languages"]) ? [] : [`'${at}.languages' must be a list of strings.`]),
      ...["plan", "build"].flatMap((key) => functionProblem(type, key, at)),
      ...(type["checks"] === undefined ? [] : functionProblem(type, "checks", at)),
      ...(type["schema"] === undefined ? [] : checkTypeSchema(type["schema"]).map((problem) => `'${at}': ${problem}`)),
      ...defaultsProblems(type, at),
    ];
  });
}

/** The defaults must be valid in a document. */
function defaultsProblems(type: Readonly<Record<string, unknown>>, at: string): string[] {
  const { acceptance_defaults: acceptance = {}, stack_defaults: stack = {} } = type;
  if (!isMap(acceptance)) return [`'${at}.acceptance_defaults' must be a map.`];
  if (!isMap(stack)) return [`'${at}.stack_defaults' must be a map.`];
  const document = { spec_version: "1.0.0", id: "x", name: "x", description: "x", outcome_type: "api" };
  // Defaults cannot know the services of a document, so unknown names are allowed.
  const { diagnostics } = parseSpec(JSON.stringify({ ...document, acceptance, stack }));
  return diagnostics
    .filter(({ severity, code }) => severity === "error" && code !== "unknown_reference")
    .map(({ pointer, message }) => `'${at}': ${pointer.replace(/^\/(acceptance|stack)/, "$1_defaults")}: ${message}`);
}

/** Reports unknown keys, which are most likely misspelled and would silently have no effect. */
function unknownKeys(value: Readonly<Record<string, unknown>>, keys: readonly string[], at: string): string[] {
  // A module may export other functions.
  const isOther = (key: string) => key === "default" || value[key] === functionMark || typeof value[key] === "function";
  const unknown = Object.keys(value).filter((key) => !keys.includes(key) && !isOther(key));
  return unknown.map((key) => `'${at}${key}' is not a known key. Known keys: ${keys.join(", ")}.`);
}

function takenNames(list: unknown, key: string, taken: readonly string[]): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) =>
    isMap(entry) && taken.includes(String(entry["name"])) ? [`'${key}[${index}].name' is a built-in name.`] : [],
  );
}

/** Their names are part of URLs; their paths are globs in the result. */
function artifactProblems(types: unknown): string[] {
  if (!Array.isArray(types) || types.length > maxTypes) return [];
  const paths = types.filter(isMap).flatMap((type) => (Array.isArray(type["paths"]) ? type["paths"] : []));
  if (paths.length > maxPaths) return [`'artifact_types' have more than ${maxPaths} paths together.`];
  return types
    .filter(isMap)
    .flatMap(({ name, paths }, index) => [
      ...(/^[a-z][a-z0-9_]*$/.test(String(name))
        ? []
        : [`'artifact_types[${index}].name' must consist of lowercase letters, digits and '_'.`]),
      ...(paths === undefined || isTexts(paths) ? [] : [`'artifact_types[${index}].paths' must be a list of strings.`]),
    ]);
}

function listProblems(plugin: Readonly<Record<string, unknown>>, key: string, functionKey?: string): string[] {
  const list = plugin[key];
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`'${key}' must be a list.`];
  if (list.length > maxTypes) return [`'${key}' must be a list of at most ${maxTypes}.`];
  return list.flatMap((entry, index) => {
    const at = `${key}[${index}]`;
    if (!isMap(entry)) return [`'${at}' must be a map.`];
    return [
      ...textProblems(entry, ["name"], `${at}.`),
      ...(functionKey === undefined ? [] : functionProblem(entry, functionKey, at)),
    ];
  });
}

function textProblems(value: Readonly<Record<string, unknown>>, keys: readonly string[], at: string): string[] {
  return keys.flatMap((key) => {
    if (!isText(value[key])) return [`'${at}${key}' must be a string.`];
    return unprintable.test(value[key]) ? [`'${at}${key}' must not have control characters.`] : [];
  });
}

function functionProblem(value: Readonly<Record<string, unknown>>, key: string, at: string): string[] {
  return typeof value[key] === "function" || value[key] === functionMark ? [] : [`'${at}.${key}' must be a function.`];
}

/** What a terminal obeys, or what turns or hides other characters. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 200;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeVersion(value: unknown): string {
  return typeof value === "string" ? `'${value.slice(0, 50)}'` : "missing";
}
