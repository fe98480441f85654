import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import type { NodeProject } from "../../kit/node-project.ts";
import { type Abilities, unmetDescription, unmetFeatures, unmetLines } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { fieldsOf, textsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { type Description, readDescription } from "./read-description.ts";
import { type Findings, loadProgram } from "./render-description.ts";

/** Compose, Kubernetes and Terraform files for services and environments, with a program that renders and checks them. */
export const infrastructure: OutcomeType = outcomeTypeFromLines("infrastructure", ["javascript"], design);

function design(document: CompleteSpec): Design {
  const { renderAll, checkAll, policies } = loadProgram();
  const { description, unmet } = readDescription(document, Object.keys(policies));
  const rendered = renderAll(description);
  const project = generateNode(document, description, rendered);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack({ stack: withoutRenders(document.stack) }, knownStack),
      ...project.unmet,
      ...breaches(document, checkAll(description, rendered, rendered)),
      ...unmetLines(acceptanceLines(document), abilities(project, rendered)),
      ...unmetFeatures(document),
      ...unmetDescription(document.services !== undefined, "Without 'services' it is one web server."),
    ],
    chapters: [overview(description, rendered)],
    files: project.files,
  };
}

const knownStack = {
  cloud: /^aws$/i,
  provider: /^aws$/i,
  tool: /^(?:terraform|opentofu|kubernetes|docker[- ]?compose|compose)$/i,
};

function withoutRenders({ renders: _, ...stack }: CompleteSpec["stack"]): CompleteSpec["stack"] {
  return stack;
}

/** Where the description breaks the document's own policies. */
function breaches(document: CompleteSpec, { violations, unresolved }: Findings): readonly Unmet[] {
  const given = fieldsOf(document)["policies"];
  const ids = (Array.isArray(given) ? given : []).map((value) =>
    typeof value === "string" ? value : fieldsOf(value)["id"],
  );
  return [
    ...violations.map(({ policy, environment, text }) => ({
      pointer: `/policies/${ids.indexOf(policy)}`,
      reason: `In ${environment}, ${text}.`,
    })),
    ...unresolved.map((reason) => ({ pointer: "/services", reason })),
  ];
}

function abilities({ runs }: NodeProject, rendered: Readonly<Record<string, string>>): Abilities {
  return {
    answer: "no server",
    tests: ["unit"],
    framework: "node:test",
    runs,
    unmetCheck: (name, value, pointer) => {
      if (name === "policy_violations_max" || name === "unresolved_references_max") return [];
      if (["deployment_time_max_minutes", "zero_downtime"].includes(name)) return [];
      if (name !== "files_exist") return undefined;
      const missing = textsOf(value).filter((path) => !Object.hasOwn(rendered, path) && !commonPaths.includes(path));
      return missing.map((path) => ({ pointer, reason: `There is no file ${path}.` }));
    },
  };
}

const commonPaths = ["README.md", "LICENSE", "package.json", ".gitignore", "description.js"];

function overview({ services }: Description, rendered: Readonly<Record<string, string>>): string {
  const secrets = [...new Set(services.flatMap((service) => textsOf(service["secrets"])))];
  return [
    "## What is where",
    "",
    "`description.js` says what there is. `npm run render` makes these files of it, `npm run check` reads them back and checks",
    "that they parse, that everything they refer to is declared, and that they keep every policy:",
    "",
    ...Object.keys(rendered).map((path) => `- [${path}](${path})`),
    "",
    "![The services and who calls whom](docs/diagram.svg)",
    ...(secrets.length > 0
      ? [
          "",
          "These secrets must be there before anything starts, as variables for Compose and as secrets in Kubernetes:",
          ...secrets.map((secret) => `\`${secret}\``),
        ]
      : []),
    "",
    "Terraform describes the network for AWS. Nothing here applies anything by itself.",
  ].join("\n");
}
