import { globalOptions, program } from "./program.js";

export function programHelp(commands) {
  const listed = [...commands.values()].map(({ name, summary }) => [name, summary]);
  return [
    `${program.name} ${program.version}`,
    ...(program.description === "" ? [] : ["", program.description]),
    "",
    `Usage: ${program.name} <command> [options]`,
    "",
    "Commands:",
    ...columns([...listed, ["help", "Show help, also of one command"]]),
    "",
    "Options:",
    ...columns(optionRows(globalOptions)),
    "",
    `Exit codes: ${program.exitCodes.ok} done, ${program.exitCodes.failed} failed, ${program.exitCodes.usage} wrong usage.`,
    "",
  ].join("\n");
}

export function commandHelp({ name, summary, arguments: expected, options, example }) {
  const usage = [program.name, name, ...expected.map(inBrackets), "[options]"].join(" ");
  return [
    summary,
    "",
    `Usage: ${usage}`,
    ...(expected.length === 0 ? [] : ["", "Arguments:", ...columns(expected.map((each) => [each.name, about(each)]))]),
    "",
    "Options:",
    ...columns(optionRows([...options, ...globalOptions])),
    ...(example === undefined ? [] : ["", "Example:", `  ${example}`]),
    "",
  ].join("\n");
}

function inBrackets({ name, optional, multiple, default: fallback }) {
  const shown = `${name}${multiple ? "..." : ""}`;
  return optional || fallback !== undefined ? `[${shown}]` : `<${shown}>`;
}

function optionRows(options) {
  const rows = options.map((option) => {
    const short = option.short ? `-${option.short}, ` : "";
    return [`${short}--${option.name}${option.type === "boolean" ? "" : ` <${option.type}>`}`, about(option)];
  });
  return [...rows, ["-h, --help", "Show help"], ["-V, --version", "Show the version"]];
}

function about({ summary = "", values, min, max, max_length: longest, default: fallback }) {
  const rules = [
    values && `one of ${values.join(", ")}`,
    min !== undefined && `at least ${min}`,
    max !== undefined && `at most ${max}`,
    longest !== undefined && `up to ${longest} characters`,
    fallback !== undefined && `default ${fallback}`,
  ].filter(Boolean);
  return [summary, rules.length > 0 ? `(${rules.join("; ")})` : ""].filter(Boolean).join(" ");
}

function columns(rows) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
