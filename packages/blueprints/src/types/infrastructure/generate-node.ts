import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import { staticFiles } from "../../kit/static-files.ts";
import type { Description } from "./read-description.ts";

const templates = staticFiles(new URL("./files/", import.meta.url));

/** The rendered files, the description they come from, and the program that renders and checks them. */
export function generateNode(
  document: CompleteSpec,
  description: Description,
  rendered: Readonly<Record<string, string>>,
): NodeProject {
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "test/*.test.js" },
    commands: { build: "node bin/check.js" },
    more: { render: "node bin/render.js", check: "node bin/check.js" },
    folders: ["formats", "render", "check", "."],
  });
  const files = () => {
    const set = project.files();
    for (const [path, text] of Object.entries(rendered)) set.add(path, text);
    return set.add("description.js", descriptionModule(description));
  };
  return { ...project, files };
}

function descriptionModule(description: Description): string {
  return `/** Services, environments, network and policies: all that is rendered and checked. */
export const description = ${literal(description)};`;
}
