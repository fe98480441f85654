import { limits } from "../limits.ts";
import { acceptance, stack } from "./acceptance.ts";
import { environment, scripts, secrets } from "./delivery.ts";
import { deployment } from "./deployment.ts";
import { guardrails } from "./guardrails.ts";
import { metadata } from "./integrations.ts";
import { debug, dependencyOverrides, network, performance, resources, timeouts } from "./running.ts";
import { type Checked, type Complete, either, list, map, object, oneOf, string, withDefault } from "./shape.ts";
import { phases, requirements, services, tasks } from "./work.ts";

/** The built-in outcome types, each with a description. */
export const outcomeTypes = {
  "web-app": "Pages that people use in a browser, and the server behind them.",
  api: "An HTTP service.",
  cli: "A command-line program.",
  game: "A game that is played in a browser.",
  library: "Code that other programs use.",
  "ml-pipeline": "Data to model to prediction.",
  "mobile-app": "An app for phones.",
  "desktop-app": "An app for desktop computers.",
  infrastructure: "What other software runs on.",
  documentation: "A site that explains something.",
} as const;

/** The version of the document format that this parser supports. */
export const formatVersion = { major: 1, minor: 0 } as const;

const packageName = "^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$";

export const documentShape = object(
  "A declarative specification of a piece of software.",
  {
    spec_version: string("Version of the document format, `<major>.<minor>.<patch>`.", {
      pattern: "^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$",
      patternErrorMessage: "a version of the form '<major>.<minor>.<patch>', in quotes, such as \"1.0.0\"",
      examples: ["1.0.0"],
    }),
    id: string(
      "Identifier of the project, chosen by you. Documents with the same id are runs of the same application.",
      {
        pattern: "\\S",
        patternErrorMessage: "a non-empty string",
        examples: ["bookmarks-api"],
      },
    ),
    name: string("Human-readable name.", { maxLength: limits.titleLength, examples: ["Bookmarks API"] }),
    description: string("What the software is and does; agents read it too."),
    outcome_type: either("The kind of software to build. Plugins can add types.", [
      oneOf("A type that needs no plugin.", outcomeTypes),
      string("A type that a plugin defines.", { minLength: 1 }),
    ]),
    acceptance,
    stack,
    plugins: list(
      "Plugin packages that define further outcome types; the operator must have allowed them.",
      string("Name of a package.", {
        pattern: packageName,
        patternErrorMessage: "the name of a package, such as 'slipway-plugin-platform' or '@acme/platform'",
      }),
    ),
    guardrails: withDefault(guardrails, {}),
    secrets: withDefault(secrets, {}),
    scripts,
    deployment: withDefault(deployment, {}),
    environments: map("Environments, by name.", environment, {
      propertyNames: { minLength: 1, maxLength: limits.nameLength },
      examples: [{ staging: { auto_deploy: true }, production: { requires_approval: true } }],
    }),
    phases,
    services,
    requirements,
    timeouts: withDefault(timeouts, {}),
    resources: withDefault(resources, {}),
    performance: withDefault(performance, {}),
    tasks,
    network: withDefault(network, {}),
    debug: withDefault(debug, {}),
    metadata,
    dependency_overrides: dependencyOverrides,
  },
  ["spec_version", "id", "name", "description", "outcome_type", "acceptance", "stack"],
);

/** A checked document: every known key has its type; unknown keys are kept. */
export type SpecDocument = Checked<typeof documentShape>;

/** A document with every default filled in. */
export type CompleteSpec = Complete<typeof documentShape>;
