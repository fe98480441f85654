import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { type NodePackage, nodePackage } from "../../kit/node-package.ts";
import { type Abilities, notBuilt, unmetDescription, unmetFeatures, unmetLines } from "../../kit/not-built.ts";
import { fieldsOf, textsOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { placeTests, testCommand } from "../../kit/test-places.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { type Design, wholeType } from "../../kit/whole-type.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { type Description, readDescription } from "./read-description.ts";

const here = new URL("./files/", import.meta.url);
const files = staticFiles(here);
const testGlobs = { unit: "test/*.test.js" };

/** What the result itself renders and checks with: the files that it has are made by the program that it has. */
const { renderAll } = (await import(new URL("render/all.js", here).href)) as {
  renderAll(description: Description): Readonly<Record<string, string>>;
};
const { checkAll } = (await import(new URL("check/all.js", here).href)) as {
  checkAll(
    description: Description,
    files: Readonly<Record<string, string>>,
    rendered: Readonly<Record<string, string>>,
  ): Findings;
};
const { policies } = (await import(new URL("check/policies.js", here).href)) as { policies: Record<string, unknown> };

interface Findings {
  readonly unresolved: readonly string[];
  readonly violations: readonly { readonly policy: string; readonly environment: string; readonly text: string }[];
}

/** Compose, Kubernetes and Terraform files for services and environments, with a program that renders and checks them. */
export const infrastructure: OutcomeType = wholeType("infrastructure", ["javascript"], designOf);

interface Parts {
  readonly description: Description;
  readonly rendered: Readonly<Record<string, string>>;
  readonly project: NodePackage;
  readonly tests: FileSet;
  readonly unmet: readonly Unmet[];
}

function designOf(document: CompleteSpec): Design {
  const parts = partsOf(document);
  return { scripts: parts.project.scripts, unmet: parts.unmet, files: () => filesOf(document, parts) };
}

function partsOf(document: CompleteSpec): Parts {
  const { description, unmet } = readDescription(document, Object.keys(policies));
  const rendered = renderAll(description);
  const { tests, unmet: unplaced } = placeTests(document, files, testGlobs);
  const more = { render: "node bin/render.js", check: "node bin/check.js" };
  const project = nodePackage(document, {
    commands: { build: "node bin/check.js", test: testCommand(tests.all.map(({ path }) => path)) },
    more,
    folders: ["formats", "render", "check", "."],
  });
  return {
    description,
    rendered,
    project,
    tests,
    unmet: [
      ...unmet,
      ...unknownStack(
        { stack: withoutRenders(document.stack) },
        {
          cloud: /^aws$/i,
          provider: /^aws$/i,
          tool: /^(?:terraform|opentofu|kubernetes|docker[- ]?compose|compose)$/i,
        },
      ),
      ...project.unmet,
      ...unplaced,
      ...breaches(document, checkAll(description, rendered, rendered)),
      ...unmetLines(acceptanceLines(document), abilities(project, rendered)),
      ...unmetFeatures(document),
      ...unmetDescription(document.services !== undefined, "Without 'services' it is one web server."),
    ],
  };
}

function withoutRenders({ renders: _, ...stack }: CompleteSpec["stack"]): CompleteSpec["stack"] {
  return stack;
}

function filesOf(document: CompleteSpec, { description, rendered, project, tests, unmet }: Parts): FileSet {
  const set = new FileSet().addAll(project.files).addAll(tests);
  for (const [path, text] of files) if (!path.startsWith("tests/")) set.add(path, text);
  for (const [path, text] of Object.entries(rendered)) set.add(path, text);
  const module = `/** Services, environments, network and policies: all that is rendered and checked. */
export const description = ${literal(description)};`;
  return set
    .add("description.js", module)
    .addAll(commonFiles(document, project.scripts, [overview(description, rendered), ...notBuilt(unmet)]));
}

/** What the document describes against its own policies. */
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

function abilities({ runs }: NodePackage, rendered: Readonly<Record<string, string>>): Abilities {
  return {
    answer: "no server",
    tests: ["unit"],
    framework: "node:test",
    runs,
    keeps: (name, value, pointer) => {
      if (name === "policy_violations_max" || name === "unresolved_references_max") return [];
      if (name === "deployment_time_max_minutes") return [];
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
