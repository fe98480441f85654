import type { CompleteSpec } from "@slipway/spec";
import { nodeProject } from "../../kit/node-project.ts";
import { staticFiles } from "../../kit/static-files.ts";
import type { Project } from "./project.ts";
import type { Settings } from "./read-settings.ts";

const templates = staticFiles(new URL("./files/node/", import.meta.url));

/** The pipeline as a package of plain JavaScript: `node src/main.js <step>`, or `npm run <step>`. */
export function generateNode(document: CompleteSpec, settings: Settings): Project {
  const names = Object.values(settings.steps);
  const reserved = ["build", "test", "start", "health"];
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "tests/unit/*.test.js", integration: "tests/integration/*.test.js" },
    commands: { build: `node src/main.js ${settings.steps.evaluate}` },
    more: Object.fromEntries(
      names.filter((name) => !reserved.includes(name)).map((name) => [name, `node src/main.js ${name}`]),
    ),
    folders: ["src", "testing"],
    manifest: { exports: "./src/index.js" },
  });
  return {
    files: () => project.files().add("src/settings.json", JSON.stringify(settings, undefined, 2)),
    scripts: project.scripts,
    unmet: project.unmet,
    framework: "node:test",
    needs: "Node 20 or newer",
    example: 'import { loadModel } from "./src/index.js";\n\nconsole.log(loadModel().predict(row));',
    commandOf: (step) => `node src/main.js ${step}`,
    runs: (command) => runsStep(command, names) ?? project.runs(command.replace(/ -- .*$/, "")),
    stack: { version: /./, libraries: /^(?:standard|none|built-?in|node)/i },
  };
}

function runsStep(command: string, names: readonly string[]): boolean | undefined {
  const [, name] = /^node (?:\.\/)?src\/main\.js ([\w-]+)(?:\s.*)?$/.exec(command.trim()) ?? [];
  return name === undefined ? undefined : names.includes(name);
}
