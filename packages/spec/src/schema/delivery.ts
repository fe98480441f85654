import { acceptance, stack } from "./acceptance.ts";
import { guardrails } from "./guardrails.ts";
import { status, urlPath } from "./http.ts";
import { metadata } from "./integrations.ts";
import { debug, dependencyOverrides, network, performance, resources, timeouts } from "./running.ts";
import {
  anything,
  boolean,
  either,
  inherits,
  list,
  number,
  object,
  oneOf,
  openObject,
  sameAs,
  string,
  withDefault,
} from "./shape.ts";
import { phases, requirements, services, tasks } from "./work.ts";

const commandLine = (description: string, example: string) =>
  string(description, { minLength: 1, examples: [example] });

export const scripts = object("Commands of the project, run in its folder.", {
  build: commandLine("Builds the software; runs before tests and deployment.", "npm run build"),
  test: commandLine("Runs the tests.", "npm test"),
  deploy: commandLine("Deploys the software, instead of starting it.", "./deploy.sh"),
  rollback: commandLine("Rolls a deployment back.", "./rollback.sh"),
  health_check: commandLine("Exits with 0 when the deployed software is healthy.", "curl -fs localhost:$PORT/health"),
  start: commandLine("Starts the software; it gets `PORT` and `HOST`.", "node server.js"),
  migrate: commandLine("Runs once before a new version starts.", "node migrate.js"),
});

export const secrets = object("Secrets that the project needs. The document never contains their values.", {
  provider: withDefault(
    string(
      "Where they come from: the name of a provider that the operator declared, or a URI that narrows a path in it. `env` is `environment`.",
      { minLength: 1, examples: ["environment", "vault://teams/shop"] },
    ),
    "environment",
  ),
  required: withDefault(
    list(
      "Names of the secrets that must exist.",
      string("Name of a secret.", { minLength: 1, examples: ["DATABASE_URL"] }),
    ),
    [],
  ),
  region: string("Region, for providers that have several.", { minLength: 1 }),
  config: openObject("Settings for the provider."),
});

const healthCheck = object("A health check of the deployed software.", {
  service: string("Service it is for, a key of `services`.", { minLength: 1 }),
  path: withDefault(urlPath("Path to request."), "/health"),
  endpoint: sameAs("path", urlPath("")),
  status: withDefault(status, 200),
  expected_status: sameAs("status", status),
  interval_seconds: withDefault(number("Seconds between two checks.", { exclusiveMinimum: 0, maximum: 3600 }), 5),
  timeout_seconds: withDefault(number("Seconds that one check may take.", { exclusiveMinimum: 0, maximum: 600 }), 5),
});

export const deployment = object("How the result goes live.", {
  strategy: withDefault(
    oneOf("How a new version takes over from the old one.", {
      blue_green: "The new version starts beside the old one, and all requests switch at once.",
      rolling: "Instances are replaced one by one.",
      canary: "A part of the requests goes to the new version first.",
      recreate: "The old version stops, then the new one starts.",
    }),
    "blue_green",
  ),
  orchestrator: string("What runs the deployed software; picks the target.", {
    minLength: 1,
    examples: ["process", "compose", "kubernetes"],
  }),
  platforms: list(
    "Platforms the result may be deployed to.",
    string("A platform.", { minLength: 1, examples: ["local", "kubernetes"] }),
  ),
  health_checks: either("How to tell that the deployed software is healthy.", [
    list("Health checks, all of which must pass.", healthCheck),
    healthCheck,
    boolean("Whether health is checked, with the defaults."),
  ]),
  rollback: either("What happens when a deployment fails.", [
    openObject("Settings of the rollback.", { examples: [{ automatic: true }] }),
    boolean("Whether a failed deployment is rolled back."),
    string("The name of a way to roll back.", { minLength: 1 }),
  ]),
  monitoring: either("What is monitored after the deployment.", [
    openObject("Settings of the monitoring, by name."),
    list("What is monitored.", anything("A tool or a measurement.")),
    boolean("Whether the deployment is monitored."),
  ]),
  canary: either("How a canary deployment works.", [
    openObject("Settings of the canary.", { examples: [{ percent: 10, minutes: 5 }] }),
    boolean("Whether a canary comes first."),
  ]),
});

const switches = {
  auto_deploy: withDefault(boolean("A finished project is deployed here automatically."), false),
  branch_trigger: string("A push to this branch starts a run for this environment.", {
    minLength: 1,
    examples: ["main"],
  }),
  requires_approval: withDefault(boolean("A person must approve each deployment here."), false),
  approvers: withDefault(
    list(
      "Who may approve: user names, e-mail addresses or groups. Naming anyone makes approval required.",
      string("A user name, an e-mail address or a group.", { minLength: 1 }),
    ),
    [],
  ),
};

/** Keys that concern the environment itself; all others override the top level. */
export const environmentSwitches = object("Switches of the environment itself.", switches);

const overrides = object(
  "An environment. It inherits the top level and overrides it with the keys given here: maps are merged, lists are replaced.",
  {
    ...switches,
    stack,
    guardrails,
    secrets,
    acceptance,
    deployment,
    scripts,
    services,
    timeouts,
    resources,
    performance,
    network,
    debug,
    phases,
    tasks,
    requirements,
    metadata,
    dependency_overrides: dependencyOverrides,
  },
);

export const environment = inherits(overrides);
