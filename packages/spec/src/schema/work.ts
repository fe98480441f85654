import { limits } from "../limits.ts";
import { acceptance, stack } from "./acceptance.ts";
import { list, map, number, object, oneOf, string, withDefault } from "./shape.ts";

/** Phases of every project; a document may not reuse their names. */
export const builtInPhases = ["planning", "implementation", "validation", "deployment"] as const;

/** Priorities, the most urgent first. */
export const priorities = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Limits of an estimate in hours. */
export const hours = { exclusiveMinimum: 0, maximum: 100_000 } as const;

const name = (description: string) => string(description, { minLength: 1 });

const phase = object("A phase of the work. Your phases replace the built-in `implementation` phase.", {
  description: string("What this phase is about."),
  priority: withDefault(
    oneOf("Which phase goes first when several could start.", {
      critical: "Before all others.",
      high: "Early.",
      medium: "As it comes.",
      low: "When nothing else is left.",
    } satisfies Record<Priority, string>),
    "medium",
  ),
  features: withDefault(list("What is built in this phase; each becomes a task.", name("A feature, in words.")), []),
  depends_on: withDefault(
    list("Phases that must be complete before this one starts.", name("Name of another phase.")),
    [],
  ),
  estimated_hours: number("Estimated hours, used where its tasks give none.", hours),
  acceptance,
});

export const phases = map("Your own phases, by name. Independent phases run in parallel.", phase, {
  propertyNames: { minLength: 1 },
});

const service = object("A service that the project consists of.", {
  description: string("What this service does."),
  outcome_type: string("What kind of software it is; one of the outcome types.", { examples: ["api", "web-app"] }),
  stack,
  ports: withDefault(
    list(
      "Ports it listens on.",
      string("`<host>:<container>`.", {
        pattern: "^\\d{1,5}:\\d{1,5}$",
        patternErrorMessage: "two ports as '<host>:<container>', such as '8080:80'",
        examples: ["8080:80"],
      }),
    ),
    [],
  ),
  dependencies: withDefault(list("Services that must run before it.", name("Name of another service.")), []),
  events_published: withDefault(list("Events it publishes.", name("Name of an event.")), []),
  events_consumed: withDefault(
    list("Events it consumes; another service publishes them.", name("Name of an event.")),
    [],
  ),
});

export const services = map("The services that the project consists of, by name.", service, {
  propertyNames: { minLength: 1 },
});

const task = object("A task that the plan must contain.", {
  id: string("Identifier, unique in the document.", {
    minLength: 1,
    maxLength: limits.nameLength,
    examples: ["login-form"],
  }),
  title: string("What is to be done, in a few words."),
  description: string("What is to be done, in full."),
  phase: string("The phase it belongs to: a key of `phases`, or a built-in phase.", { minLength: 1 }),
  role: string("The role that does it.", {
    minLength: 1,
    maxLength: limits.nameLength,
    examples: ["implementer"],
  }),
  depends_on: withDefault(list("Tasks that must be done before it.", name("Id of another task.")), []),
  estimated_hours: number("Estimated hours of work. If absent: a share of the phase's estimate, else 1.", hours),
});

export const tasks = list("Tasks that the plan must contain; the planner adds the rest.", task);

const agentRequirement = object("What an agent must offer to fill this role.", {
  capabilities: withDefault(
    list(
      "Capabilities that the agent must have, all of them.",
      string("A capability.", { minLength: 1, examples: ["typescript"] }),
    ),
    [],
  ),
  preferred: withDefault(
    list("Capabilities or agents that are preferred.", name("A capability, or the name or id of an agent.")),
    [],
  ),
});

export const requirements = object("What the project requires of its agents.", {
  agents: map(
    "Requirements by role: planner, implementer, reviewer, deployer, or a role of your own.",
    agentRequirement,
    {
      propertyNames: { minLength: 1 },
      examples: [{ implementer: { capabilities: ["typescript"] } }],
    },
  ),
});
