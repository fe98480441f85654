import { type AcceptanceLine, type CompleteSpec, knownScores } from "@slipway/spec";
import { code } from "../../kit/common-files.ts";
import { unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import type { Project } from "./project.ts";
import type { Source } from "./read-data.ts";
import { readSettings, type Settings } from "./read-settings.ts";
import { foresee } from "./unmet-model.ts";

/** A pipeline in plain Python or JavaScript that learns from the document's data, measures against a baseline, and predicts. */
export const mlPipeline: OutcomeType = outcomeType("ml-pipeline", ["python", "javascript"], design);

function design(document: DocumentToBuild<"ml-pipeline">): Design {
  const { settings, source, unmet } = readSettings(document);
  const isNode = isForNode(document);
  const project = isNode ? generateNode(document, settings) : generatePython(document, settings);
  const foreseen = foresee(settings, source, document.model);
  const bytes = source.content === undefined ? undefined : Buffer.from(source.content);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...foreseen.unmet,
      ...unknownStack(document, project.stack, isNode ? "JavaScript" : "Python"),
      ...project.unmet,
      ...unmetWork(document),
    ],
    chapters: [...notice(source), usage(project, settings, foreseen.row !== undefined)],
    language: isNode ? "javascript" : "python",
    title: settings.title,
    ignored: [],
    files: () => {
      const set = project.files();
      // As bytes: the rows stay as they were given, to the last tab.
      if (bytes !== undefined) set.add(source.path!, bytes);
      return foreseen.row === undefined ? set : set.add(rowFile, JSON.stringify(foreseen.row));
    },
    unmetLines: (lines) => unmetBy(lines, project, settings),
  };
}

/** A row to try the model with. */
const rowFile = "examples/input.json";

function unmetBy(lines: readonly AcceptanceLine[], project: Project, { steps }: Settings): readonly Unmet[] {
  return unmetLines(lines, {
    answer: "no server",
    tests: ["unit", "integration"],
    framework: project.framework,
    measures: knownScores,
    runs: project.runs,
    unmetCheck: (name, value, pointer) => {
      if (name !== "metrics") return undefined;
      const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
      if (isMap && Object.keys(value).every((metric) => knownScores.includes(metric))) return [];
      const command = `${project.commandOf(steps.evaluate)} --min accuracy=0.9`;
      return [{ pointer, reason: `Nobody checks this. Check a metric by a command, such as '${command}'.` }];
    },
  });
}

/** Python, unless the stack names JavaScript and not Python. */
function isForNode({ stack }: CompleteSpec): boolean {
  const named = [stack["language"], stack["runtime"], stack["backend"]].flat().map(String);
  const isPython = named.some((word) => /^(?:c?python)/i.test(word));
  return !isPython && named.some((word) => /^(?:node|javascript|js|ecmascript|typescript|ts|deno|bun)\b/i.test(word));
}

function notice({ kind, path }: Source): readonly string[] {
  switch (kind) {
    case "given":
      return [];
    case "synthetic":
      return [`**Synthetic data:** the rows in ${code(path!)} were made by a written rule, not observed.`];
    case "file":
      return [`The rows are those of ${code(path!)}. It is not generated: add it to the source of the project.`];
    case "none":
      return ["**No data:** the document gives no rows, so there is nothing to learn from, and the build fails."];
  }
}

function usage({ needs, example, commandOf }: Project, { steps, outputs, data }: Settings, hasRow: boolean): string {
  const results = {
    prepare: `reads ${data === null ? "the data" : code(data)} and says what is in it`,
    train: code(outputs.model),
    evaluate: `${code(outputs.metrics)}, ${code(outputs.model_card)}`,
    predict: "JSON on standard output",
  };
  const rows = Object.entries(steps).map(
    ([step, name]) => `| \`${commandOf(name)}\` | ${results[step as keyof typeof results]} |`,
  );
  return [
    "## Steps",
    "",
    `${needs}; nothing else is needed. Each step first runs those before it whose result is missing or of other data.`,
    "",
    "| step | result |",
    "|---|---|",
    ...rows,
    "",
    `Evaluating ends with 1 if the model does not beat the baseline on rows that neither has seen, or misses a limit such as`,
    `\`--min recall=0.7\` or \`--max log_loss=0.5\`. Predicting reads JSON or CSV, and ends with 2 if a row lacks something${
      hasRow ? `;\n\`${rowFile}\` is one to try.` : "."
    }`,
    "",
    "A program can ask the model, too:",
    "",
    "```",
    example,
    "```",
  ].join("\n");
}
