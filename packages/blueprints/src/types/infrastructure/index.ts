import type { AcceptanceLine, CompleteSpec } from "@slipway/spec";
import { code } from "../../kit/common-files.ts";
import type { NodeProject } from "../../kit/node-project.ts";
import { unmetFeatures, unmetLines } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { type Description, readDescription } from "./read-description.ts";
import { type Findings, loadProgram } from "./render-description.ts";

/** Compose, Kubernetes and Terraform files for services and environments, with a program that renders and checks them. */
export const infrastructure: OutcomeType = outcomeType("infrastructure", ["javascript"], design);

function design(document: DocumentToBuild<"infrastructure">): Design {
  const { renderAll, checkAll } = loadProgram();
  const { description, unmet } = readDescription(document);
  const rendered = renderAll(description);
  const project = generateNode(document, description, rendered);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack({ stack: withoutRenders(document.stack) }, knownStack(Object.keys(rendered))),
      ...project.unmet,
      ...breaches(document, description, checkAll(description, rendered, rendered)),
      ...unmetFeatures(document),
    ],
    chapters: [overview(description, rendered)],
    files: project.files,
    unmetLines: (lines) => unmetBy(lines, project),
  };
}

/** A tool is used where there is a file for it. */
function knownStack(paths: readonly string[]): Readonly<Record<string, RegExp>> {
  const words = Object.entries(toolWords).filter(([folder]) => paths.some((path) => path.startsWith(folder)));
  const tool = new RegExp(`^(?:${words.map(([, word]) => word).join("|")})$`, "i");
  return { cloud: /^aws$/i, provider: /^aws$/i, tool, orchestrator: tool };
}

const toolWords = { compose: "(?:docker[- ]?)?compose", kubernetes: "kubernetes|k8s", terraform: "terraform|opentofu" };

function withoutRenders({ renders: _, ...stack }: CompleteSpec["stack"]): CompleteSpec["stack"] {
  return stack;
}

/** Where the description breaks the document's own policies, or contradicts itself. */
function breaches(
  { network_plan: { subnets } }: DocumentToBuild<"infrastructure">,
  { policies, services, network }: Description,
  { violations, unresolved, addresses }: Findings,
): readonly Unmet[] {
  if (services.length === 0)
    return [{ pointer: "/description", reason: "There is nothing to run. Name the services in 'services'." }];
  return [
    ...violations.map(({ policy, environment, text }) => ({
      pointer: `/policies/${policies.findIndex(({ id }) => id === policy)}`,
      reason: `The policy '${policy}' is broken: in ${environment}, ${text}.`,
    })),
    ...addresses.map(({ subnet, text }) => {
      const index = network.subnets.findIndex(({ name }) => name === subnet);
      const place = index < 0 || index >= subnets.length ? "" : `/subnets/${index}`;
      return { pointer: `/network_plan${place}/cidr`, reason: `${text}.` };
    }),
    ...unresolved.map((reason) => ({ pointer: "/services", reason: `${reason}.` })),
  ];
}

function unmetBy(lines: readonly AcceptanceLine[], { runs }: NodeProject): readonly Unmet[] {
  return unmetLines(lines, {
    answer: "no server",
    tests: ["unit"],
    framework: "node:test",
    runs,
    unmetCheck: (name, _, pointer) => {
      if (name === "policy_violations_max" || name === "unresolved_references_max")
        return [{ pointer, reason: "Nobody checks this by name. The command 'npm run check' fails on any of them." }];
      return undefined;
    },
  });
}

function overview(
  { services, environments, monitoring }: Description,
  rendered: Readonly<Record<string, string>>,
): string {
  const changes = environments.flatMap(({ overrides }) => Object.values(overrides));
  const all = [...services, ...changes];
  const secrets = [
    ...new Set(all.flatMap((one) => [...(one.secrets ?? []), ...Object.values(one.secretVariables ?? {})])),
  ];
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
          ...secrets.map(code),
        ]
      : []),
    ...(monitoring === null
      ? []
      : [
          "",
          "In Kubernetes, pods labelled `app.kubernetes.io/name: prometheus` reach what is watched, from every namespace.",
        ]),
    "",
    "Terraform describes the network for AWS. Nothing here applies anything by itself.",
  ].join("\n");
}
