import { limits } from "../limits.ts";
import { acceptance, stack } from "./acceptance.ts";
import { deployment } from "./deployment.ts";
import { guardrails } from "./guardrails.ts";
import { metadata } from "./integrations.ts";
import { debug, dependencyOverrides, network, performance, resources, timeouts } from "./running.ts";
import { boolean, inherits, list, map, object, openObject, string, withDefault } from "./shape.ts";
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
  optional: withDefault(
    list(
      "Names of the secrets that the project also uses where they exist.",
      string("Name of a secret.", { minLength: 1, examples: ["SENTRY_DSN"] }),
    ),
    [],
  ),
  verification: map(
    "What stands in for a secret until it is deployed, by its name: the name of another one. With it, verification runs `scripts.migrate`.",
    string("Name of the secret whose value is used.", { minLength: 1, examples: ["TEST_DATABASE_URL"] }),
    { examples: [{ DATABASE_URL: "TEST_DATABASE_URL" }] },
  ),
  region: string("Region, for providers that have several: one that the operator declared.", { minLength: 1 }),
  config: openObject("Settings for the provider: `path` narrows a path in it; a plugin's provider gets all of it."),
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
      string("A user name, an e-mail address or a group.", { minLength: 1, maxLength: limits.nameLength }),
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
