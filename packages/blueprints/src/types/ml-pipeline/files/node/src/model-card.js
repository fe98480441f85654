/** What one should know before using the model, in Markdown. */
export function modelCard(settings, report, missed) {
  const { label, card, model } = settings;
  const lines = [
    `# Model card: ${settings.title}`,
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
    `${settings.rows} rows made by a written rule from the seed ${settings.seed}; each is: ${settings.row}.`,
    `${report.rows.train} were learnt from, ${report.rows.test} were kept for measuring.`,
    "",
    "| column | kind | distribution |",
    "|---|---|---|",
    ...settings.features.map(({ name, type, distribution }) => `| ${cell(name)} | ${type} | ${distribution} |`),
    `| ${cell(label.name)} | ${label.type} | the label |`,
    "",
    "## Model",
    "",
    `${capitalised(model.type.replaceAll("_", " "))}, scaling: ${model.scaling}.`,
    "",
    "## Measured on rows it has not seen",
    "",
    "| metric | value | promised |",
    "|---|---|---|",
    ...Object.entries(report.metrics).map(
      ([name, value]) => `| ${name} | ${value.toFixed(4)} | ${promised(settings.promises[name])} |`,
    ),
    "",
    `Better than always answering ${report.baseline.answer} by ${report.beats_baseline_by.toFixed(4)}.`,
    ...(missed.length > 0 ? ["", `**Promises that were not kept:** ${missed.join("; ")}.`] : []),
    "",
    "## Limits",
    "",
    "The data is simulated: the numbers say how well the rule was learnt, not how the world behaves.",
  ];
  return `${lines.join("\n")}\n`;
}

function promised({ min, max } = {}) {
  return [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])].join(", ");
}

function cell(text) {
  return text.split(/\s+/).join(" ").replaceAll("|", "\\|");
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
