import type { AcceptanceLine } from "@slipway/spec";
import { code, languageOf } from "../../kit/common-files.ts";
import { unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { markdown } from "../../kit/quote.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import type { Command, Program } from "./model.ts";
import { readProgram } from "./read-program.ts";
import { unmetLine } from "./unmet-runs.ts";

/** A command-line program, from the document's `cli` block. */
export const cli: OutcomeType = outcomeType("cli", ["javascript", "python"], design);

/** The parts of a program name each other, so each task writes the whole. */
function design(document: DocumentToBuild<"cli">): Design {
  const { program, unmet } = readProgram(document, document.cli);
  const language = languageOf(document);
  const isPython = language === "python";
  const generated = isPython ? generatePython(document, program) : generateNode(document, program);
  return {
    scripts: generated.scripts,
    unmet: [
      ...unmet,
      ...unmetEntries(program, document.cli?.entry ?? [], isPython, generated.isTaken),
      ...generated.unmet,
      ...unmetWork(document),
      ...unknownStack(document, isPython ? { ...known, ...pythonStack } : known, isPython ? "Python" : "JavaScript"),
    ],
    chapters: [usage(program)],
    language,
    files: generated.files,
    unmetLines: (lines: readonly AcceptanceLine[]) => lines.flatMap((line) => unmetLine(line, lines, program)),
  };
}

const known = { storage: /^(?:files?|json|json file)$/i, modules: /^esm?$/i };
const pythonStack = { language: /^python[\d.]*$/i, runtime: /^c?python[\d.]*$/i, backend: /^python[\d.]*$/i };

function unmetEntries(
  { entries }: Program,
  written: readonly string[],
  isPython: boolean,
  isTaken: (file: string) => boolean,
): readonly Unmet[] {
  return entries.flatMap((file) => {
    const index = written.findIndex((path) => path.replace(/^\.\//, "") === file);
    if (index === -1) return [];
    const isOther = isPython ? /\.m?[jt]s$/.test(file) : /\.(?:py|ts)$/.test(file);
    if (!isOther && !isTaken(file)) return [];
    const reason = isOther
      ? `The program is written in ${isPython ? "Python" : "JavaScript"}.`
      : `${file} is a part of the program, and does not start it.`;
    return [{ pointer: `/cli/entry/${index}`, reason }];
  });
}

function usage(program: Program): string {
  const row = ({ name, summary }: Command) => `| ${code(`${program.name} ${name}`)} | ${markdown(summary)} |`;
  return [
    "## Use",
    "",
    `Run ${code(`./bin/${program.name} --help`)}, or ${code(`${program.name} <command> --help`)} for one command.`,
    "",
    "| command | does |",
    "|---|---|",
    ...program.commands.map(row),
    "",
    `${code("--format")} chooses between text, json, csv and table.`,
    `Values of options can stand in a JSON file that ${code("--config")} or ${code(program.configVariable)} names.`,
    ...(program.record === undefined
      ? []
      : [
          `Data is kept in ${code(program.dataFile.fallback)}; ${code(`--${program.dataFile.option}`)} or ${code(program.dataFile.variable)} names another file.`,
        ]),
  ].join("\n");
}
