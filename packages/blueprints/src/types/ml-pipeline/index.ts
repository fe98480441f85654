import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { unknownKeys, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import type { Project } from "./project.ts";
import { ordinaryRow } from "./read-features.ts";
import { readSettings, type Settings } from "./read-settings.ts";

/** A pipeline in plain Python or JavaScript that generates data, trains, evaluates against limits, and predicts. */
export const mlPipeline: OutcomeType = outcomeTypeFromLines("ml-pipeline", ["python", "javascript"], design);

function design(document: CompleteSpec): Design {
  const { settings, unmet: unset } = readSettings(document);
  const isNode = isForNode(document);
  const project = isNode ? generateNode(document, settings) : generatePython(document, settings);
  const known = ["package", "steps", "outputs"];
  const unmet = [
    ...unset,
    ...unknownKeys(fieldsOf(fieldsOf(document)["pipeline"]), known, "/pipeline", "a pipeline"),
    ...unknownStack(document, project.stack, isNode ? "JavaScript" : "Python"),
    ...project.unmet,
    ...unmetLines(acceptanceLines(document), {
      answer: "no server",
      tests: ["unit", "integration"],
      framework: project.framework,
      runs: project.runs,
      unmetCheck: (name) => (knownChecks.includes(name) ? [] : undefined),
    }),
    ...unmetWork(document),
    ...unmetDescription(
      fieldsOf(document)["data"] !== undefined,
      "Without 'data' it learns from columns of its own making.",
    ),
  ];
  return {
    scripts: project.scripts,
    unmet,
    chapters: [usage(project, settings)],
    language: isNode ? "javascript" : "python",
    files: () => project.files().add(rowFile, JSON.stringify(ordinaryRow(settings.features))),
  };
}

/** A row to try the model with. */
const rowFile = "examples/input.json";

const knownChecks = [
  "metrics",
  "beats_baseline_by",
  "same_seed_same_model",
  "deployment_time_max_minutes",
  "zero_downtime",
];

/** Python, unless the stack names JavaScript and not Python. */
function isForNode({ stack }: CompleteSpec): boolean {
  const named = [stack["language"], stack["runtime"], stack["backend"]].flat().map(String);
  const isPython = named.some((word) => /^(?:c?python)/i.test(word));
  return !isPython && named.some((word) => /^(?:node|javascript|js|ecmascript|typescript|ts|deno|bun)\b/i.test(word));
}

function usage({ needs, commandOf }: Project, { steps, outputs }: Settings): string {
  const written = fieldsOf(outputs);
  const rows = Object.entries(steps).map(([name, step]) => {
    const result = step === "predict" ? "JSON on standard output" : `\`${String(written[step])}\``;
    return `| \`${commandOf(name)}\` | ${result} |`;
  });
  return [
    "## Steps",
    "",
    `${needs}; nothing else is needed. Each step first runs those before it whose result is missing.`,
    "",
    "| step | result |",
    "|---|---|",
    ...rows,
    "",
    `Evaluating also writes \`${String(written["model_card"])}\`, and ends with 1 if a promised metric was missed. Predicting`,
    `reads JSON, an object, a list or an object a line, and ends with 2 if a row lacks something; \`${rowFile}\` is one to try.`,
  ].join("\n");
}
