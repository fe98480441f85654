import { posix } from "node:path";
import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { nodeProject } from "../../kit/node-project.ts";
import { js } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import type { Project } from "./project.ts";
import type { Settings } from "./read-settings.ts";

const templates = staticFiles(new URL("./files/node/", import.meta.url));

/** The pipeline as a package of plain JavaScript: `node src/main.js <step>`, or `npm run <step>`. */
export function generateNode(document: CompleteSpec, settings: Settings): Project {
  const names = Object.keys(settings.steps);
  const evaluateStep = names.find((name) => settings.steps[name] === "evaluate")!;
  const reserved = ["build", "test", "start", "health"];
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "tests/unit/*.test.js", integration: "tests/integration/*.test.js" },
    commands: { build: `node src/main.js ${evaluateStep}` },
    more: Object.fromEntries(
      names.filter((name) => !reserved.includes(name)).map((name) => [name, `node src/main.js ${name}`]),
    ),
    folders: ["src", "testing"],
  });
  return {
    files: () =>
      project
        .files()
        .addAll(programsOf(document, names))
        .add("src/settings.json", JSON.stringify(settings, undefined, 2)),
    scripts: project.scripts,
    unmet: project.unmet,
    framework: "node:test",
    needs: "Node 20 or newer",
    commandOf: (step) => `node src/main.js ${step}`,
    runs: (command) => programOf(command, names) !== undefined || project.runs(command.replace(/ -- .*$/, "")),
    stack: { version: /./, libraries: /^(?:standard|none|built-?in|node)/i },
  };
}

/** Further programs that the document's commands start, beside `src/main.js`. */
function programsOf(document: CompleteSpec, names: readonly string[]): FileSet {
  const set = new FileSet();
  for (const { check } of acceptanceLines(document)) {
    const program = check.kind === "command" ? programOf(check.command, names) : undefined;
    if (program === undefined || program.path === "src/main.js") continue;
    const way = posix.relative(posix.dirname(program.path), "src/run-program.js");
    const words =
      program.step === undefined ? "process.argv.slice(2)" : `[${js(program.step)}, ...process.argv.slice(2)]`;
    set.add(
      program.path,
      [
        `import { runProgram } from ${js(way.startsWith(".") ? way : `./${way}`)};`,
        "",
        `await runProgram(${words});`,
      ].join("\n"),
    );
  }
  return set;
}

/** Parses `node <path> <step>` and `node <path named like a step>`; undefined for other commands. */
function programOf(command: string, names: readonly string[]): { path: string; step?: string } | undefined {
  const [, written, first] =
    /^node ((?:\.\/)?(?:[\w-]+\/)*[\w-]+\.m?js)(?: +(\S+))?(?: .*)?$/.exec(command.trim()) ?? [];
  if (written === undefined) return undefined;
  const path = posix.normalize(written);
  const isTaken = path !== "src/main.js" && (templates.has(path) || /^(?:tests?|node_modules)\//.test(path));
  if (isTaken) return undefined;
  const step = posix.basename(path).replace(/\.m?js$/, "");
  if (names.includes(step)) return { path, step };
  return first !== undefined && names.includes(first) ? { path } : undefined;
}
