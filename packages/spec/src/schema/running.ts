import { boolean, integer, map, number, object, oneOf, string, withDefault } from "./shape.ts";

export const timeouts = object("Time limits of the work.", {
  implementation_minutes: withDefault(
    integer("Minutes that one agent attempt at a task may take.", { minimum: 1, maximum: 10_080 }),
    30,
  ),
  test_execution_minutes: withDefault(
    integer("Minutes that one run of the tests may take.", { minimum: 1, maximum: 10_080 }),
    10,
  ),
});

export const resources = object("What one agent, script or started service may use, with everything it starts.", {
  memory_gb: withDefault(number("Gigabytes of memory.", { exclusiveMinimum: 0, maximum: 4096 }), 2),
  cpu_cores: withDefault(integer("Processor cores.", { minimum: 1, maximum: 1024 }), 1),
  optimize_for: withDefault(
    oneOf("What to favour when both cannot be had.", {
      speed: "Tasks run in parallel.",
      memory: "Tasks run one by one.",
    }),
    "speed",
  ),
});

export const performance = object("How tasks are run.", {
  parallel_tasks: withDefault(integer("How many tasks may run at the same time.", { minimum: 1, maximum: 1000 }), 4),
  cache_dependencies: withDefault(boolean("Keep one package cache for the whole project."), true),
  optimize_builds: withDefault(boolean("Build for production, and reuse a build of the same content."), false),
});

export const network = object("Limits for outgoing calls: probes, integrations and models.", {
  timeouts: withDefault(
    object("How long a call may take.", {
      connect_seconds: withDefault(number("Seconds to connect.", { exclusiveMinimum: 0, maximum: 3600 }), 5),
      read_seconds: withDefault(number("Seconds to read the response.", { exclusiveMinimum: 0, maximum: 3600 }), 30),
    }),
    {},
  ),
  retries: withDefault(
    object("How a failed call is retried.", {
      max_attempts: withDefault(integer("Maximum number of attempts for a call.", { minimum: 1, maximum: 100 }), 3),
      backoff_factor: withDefault(
        number("Factor that multiplies the wait after each attempt.", { minimum: 1, maximum: 100 }),
        2,
      ),
    }),
    {},
  ),
});

export const debug = object("How much is logged while the project runs.", {
  level: withDefault(
    oneOf("The project's log level.", {
      off: "Nothing.",
      error: "Errors.",
      warn: "Errors and warnings.",
      info: "What happens.",
      verbose: "What happens, with details.",
      debug: "Everything.",
    }),
    "info",
  ),
  log_agent_actions: withDefault(boolean("Log each action of an agent."), false),
  log_api_calls: withDefault(boolean("Log each outgoing call."), false),
  save_intermediate_files: withDefault(boolean("Keep intermediate files as artifacts."), false),
});

export const dependencyOverrides = map("Pinned package versions, by package.", string("A version.", { minLength: 1 }), {
  examples: [{ lodash: "4.17.21" }],
});
