import type { AcceptanceLine, CompleteSpec } from "@slipway/spec";
import { languageOf } from "../../kit/common-files.ts";
import { unmeasured, unmetFeatures, unmetNamed } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { pythonRunner } from "../../kit/python-runner.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { unmetCommand } from "../../kit/unknown-tool.ts";
import type { Unmet } from "../../plugin.ts";

const fileStorage = /^(?:files?|sqlite3?|disk|filesystem|file-?system|flat-?files?|none)$/i;
const noFramework = /^(?:none|vanilla|no|plain|node(?::?http)?|http|stdlib|http\.server)$/i;

const knownStack = {
  framework: noFramework,
  backend: /^(?:javascript|js|node(?:\.?js)?|none)$/i,
  storage: fileStorage,
  database: fileStorage,
  role: /./,
  log_level: /./,
};

/** What a type can do beyond what every service can. */
interface Abilities {
  readonly stack: Readonly<Record<string, RegExp>>;
  readonly tests: readonly string[];
  /** What is not met of a named check; undefined if the type does not know the check. */
  unmetCheck(name: string, value: unknown, pointer: string): readonly Unmet[] | undefined;
}

const apiAbilities: Abilities = { stack: {}, tests: ["unit", "integration"], unmetCheck: () => undefined };

const pythonStack = {
  language: /^python/i,
  runtime: /^c?python/i,
  backend: /^python/i,
};

/** What the result does not honour of the keys that every document has. */
export function unmetOf(document: CompleteSpec, abilities = apiAbilities): readonly Unmet[] {
  const isPython = isPythonApi(document, abilities);
  const known = { ...knownStack, ...abilities.stack, ...(isPython && pythonStack) };
  return [
    ...unknownStack(document, known, isPython ? "Python" : "JavaScript"),
    ...unmetFeatures(document),
    ...unmetScripts(document),
    ...unmetServices(document, known),
  ];
}

function isPythonApi(document: CompleteSpec, abilities: Abilities): boolean {
  return languageOf(document) === "python" && abilities === apiAbilities;
}

/** The result only runs; it cannot deploy itself. */
function unmetScripts({ scripts = {} }: CompleteSpec): readonly Unmet[] {
  return ["deploy", "rollback", "migrate"].flatMap((name) => {
    const command = (scripts as Readonly<Record<string, unknown>>)[name];
    if (command === undefined || (name === "migrate" && command === "npm run migrate")) return [];
    return [{ pointer: `/scripts/${name}`, reason: "Nothing was built for this command." }];
  });
}

/** One program serves all services: it has their resources, but not their ports, events or stacks. */
function unmetServices(document: CompleteSpec, known: Readonly<Record<string, RegExp>>): readonly Unmet[] {
  return Object.entries(document.services ?? {}).flatMap(([name, service]) => {
    const { events_published, events_consumed, outcome_type, stack = {} } = service;
    const pointer = `/services/${pointerPart(name)}`;
    const events = events_published.length + events_consumed.length > 0 ? "; its events are not sent" : "";
    const isOther = outcome_type !== undefined && outcome_type !== document.outcome_type;
    return [
      { pointer, reason: `It is a part of one program and has no port of its own${events}.` },
      ...(isOther
        ? [{ pointer: `${pointer}/outcome_type`, reason: `All of it is one ${document.outcome_type}.` }]
        : []),
      ...unknownStack({ stack }, known).map((unmet) => ({ ...unmet, pointer: `${pointer}${unmet.pointer}` })),
    ];
  });
}

/** The acceptance lines that the result does not meet, apart from requests. */
export function unmetChecks(
  document: CompleteSpec,
  lines: readonly AcceptanceLine[],
  abilities = apiAbilities,
): readonly Unmet[] {
  const { tests, unmetCheck } = abilities;
  const framework = isPythonApi(document, abilities) ? pythonRunner(document) : "node:test";
  return lines.flatMap(({ pointer, check }): readonly Unmet[] => {
    if (check.kind === "tests" && check.framework !== undefined && check.framework !== framework)
      return [{ pointer, reason: `Tests are run by ${framework}.` }];
    if (check.kind === "tests" && !tests.includes(check.type))
      return [{ pointer, reason: "There are no tests of this kind." }];
    if (check.kind === "named")
      return unmetCheck(check.name, check.value, pointer) ?? [{ pointer, reason: unmetNamed }];
    if (check.kind === "performance") {
      const reason = unmeasured(check);
      return reason === undefined ? [] : [{ pointer, reason }];
    }
    if (check.kind === "service_health" && check.service !== undefined)
      return [{ pointer, reason: "The services are one program: none is reached by itself." }];
    const reason = check.kind === "command" ? unmetCommand(check.command, runsScript) : undefined;
    return reason === undefined ? [] : [{ pointer, reason }];
  });
}

/** Whether a script of the result ends well; undefined of other programs. */
function runsScript(command: string): boolean | undefined {
  const [, script] = /^npm (?:run )?([\w:.-]+)$/.exec(command.trim()) ?? [];
  return script === undefined ? undefined : ["test", "health", "migrate"].includes(script);
}
