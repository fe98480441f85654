import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { languageOf } from "../../kit/common-files.ts";
import { unmeasured, unmetFeatures } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { Unmet } from "../../plugin.ts";
import { authorKey } from "./read-data-model.ts";

const fileStorage = /^(?:files?|json|jsonl|disk|filesystem|file-?system|flat-?files?|none)$/i;
const noFramework = /^(?:none|vanilla|no|plain|node(?::?http)?|http|stdlib|http\.server)$/i;

const knownStack = {
  framework: noFramework,
  backend: /^(?:javascript|js|node(?:\.?js)?|none)$/i,
  storage: fileStorage,
  database: fileStorage,
  role: /./,
  log_level: /./,
};

/** What a type can do besides what every service can. */
interface Abilities {
  readonly stack: Readonly<Record<string, RegExp>>;
  readonly tests: readonly string[];
  /** What is not kept of a check by a name of the author's; nothing: it is not known at all. */
  keeps(name: string, value: unknown, pointer: string): readonly Unmet[] | undefined;
}

const apiAbilities: Abilities = { stack: {}, tests: ["unit", "integration"], keeps: () => undefined };

const pythonStack = {
  language: /^python/i,
  runtime: /^c?python/i,
  backend: /^python/i,
};

/** What of a document no service by rule can honour, requests apart. */
export function unmetOf(document: CompleteSpec, abilities = apiAbilities): readonly Unmet[] {
  const isPython = languageOf(document) === "python" && abilities === apiAbilities;
  const known = { ...knownStack, ...abilities.stack, ...(isPython && pythonStack) };
  const framework = isPython ? "unittest" : "node:test";
  return [
    ...unknownStack(document, known, isPython ? "Python" : "JavaScript"),
    ...unmetFeatures(document),
    ...unmetScripts(document),
    ...unmetServices(document, known),
    ...unmetLines(document, { ...abilities, framework }),
  ];
}

/** A service is started where it is to run: it does not know how it gets there. */
function unmetScripts({ scripts = {} }: CompleteSpec): readonly Unmet[] {
  return ["deploy", "rollback", "migrate"].flatMap((name) => {
    const command = (scripts as Readonly<Record<string, unknown>>)[name];
    if (command === undefined || (name === "migrate" && command === "npm run migrate")) return [];
    return [{ pointer: `/scripts/${name}`, reason: "Nothing was built for this command." }];
  });
}

/**
 * One program answers for all services: it has their resources, but not their ports, nor what they tell each other, nor
 * what each is to be made of.
 */
function unmetServices(document: CompleteSpec, known: Readonly<Record<string, RegExp>>): readonly Unmet[] {
  const services = Object.entries(document.services ?? {}).flatMap(([name, service]) => {
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
  const hasEvents = authorKey(document, "events") !== undefined;
  return [...services, ...(hasEvents ? [{ pointer: "/events", reason: "Events are not sent." }] : [])];
}

/** Kept by whoever runs the project, not by the project. */
const keptElsewhere = ["deployment_time_max_minutes", "health_check_timeout_seconds"];

function unmetLines(
  document: CompleteSpec,
  { tests, keeps, framework }: Abilities & { readonly framework: string },
): readonly Unmet[] {
  return acceptanceLines(document).flatMap(({ pointer, check }): readonly Unmet[] => {
    if (check.kind === "tests" && check.framework !== undefined && check.framework !== framework)
      return [{ pointer, reason: `Tests are written for ${framework}.` }];
    if (check.kind === "tests" && !tests.includes(check.type))
      return [{ pointer, reason: "There are no tests of this kind." }];
    if (check.kind === "named" && !keptElsewhere.includes(check.name))
      return keeps(check.name, check.value, pointer) ?? [{ pointer, reason: "Nobody checks this by rule." }];
    if (check.kind === "performance") {
      const reason = unmeasured(check.metric);
      return reason === undefined ? [] : [{ pointer, reason }];
    }
    if (check.kind === "service_health" && check.service !== undefined)
      return [{ pointer, reason: "The services are one program: none is reached by itself." }];
    if (check.kind === "command" && !/^(?:npm (?:run )?(?:test|start|health)|node --test)$/.test(check.command))
      return [{ pointer, reason: "There is no such command." }];
    return [];
  });
}
