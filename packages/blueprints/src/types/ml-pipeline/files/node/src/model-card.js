import { valueOf } from "./columns.js";

const origin = {
  synthetic:
    "**Synthetic data:** the rows were made by a written rule. The numbers say how well that rule was learnt, not how the world behaves.",
  given: "The rows are those that the document gives.",
  file: "The rows are those of a file of the project.",
};

/** What one should know before using the model, in Markdown. */
export function modelCard(dataset, report, missed) {
  const { settings, columns, leftOut, modelType, rows } = dataset;
  const { card, model } = settings;
  const missing = (name) => rows.filter((row) => valueOf(row, name) === null).length;
  const lines = [
    `# Model card: ${settings.title}`,
    "",
    origin[settings.data_kind],
    "",
    settings.description,
    "",
    "## Use",
    "",
    `- Intended for: ${card.intended_use}`,
    `- Not for: ${card.not_for}`,
    "",
    "## Data",
    "",
    `${report.rows.given} rows of \`${settings.data}\`; each is: ${settings.row}.`,
    `${report.rows.train} were learnt from, ${report.rows.test} were kept for measuring (seed ${settings.split.seed}).`,
    `${report.rows.without_label} have no label and ${report.rows.dropped} lack a value that they need: these were left out.`,
    "",
    "| column | kind | rows without a value |",
    "|---|---|---|",
    ...columns.map(({ name, type }) => `| ${cell(name)} | ${type} | ${missing(name)} |`),
    "",
    ...(leftOut.length > 0 ? [`Left out: ${cell(leftOut.join("; "))}.`, ""] : []),
    "## Model",
    "",
    `${capitalised(modelType.replaceAll("_", " "))} of \`${cell(settings.label)}\`, scaling: ${model.scaling}, class weight: ${model.class_weight}.`,
    "",
    "## Measured on rows it has not seen",
    "",
    `| metric | model | baseline: ${cell(report.baseline.answer)} |`,
    "|---|---|---|",
    ...Object.entries(report.metrics).map(
      ([name, value]) => `| ${name} | ${value.toFixed(4)} | ${report.baseline[name].toFixed(4)} |`,
    ),
    "",
    `Better than the baseline by ${report.beats_baseline_by.toFixed(4)} ${report.compared_by}.`,
    ...(missed.length > 0 ? ["", `**Not reached:** ${missed.join("; ")}.`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function cell(text) {
  return text.split(/\s+/).join(" ").replaceAll("|", "\\|").replaceAll("`", "'");
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
