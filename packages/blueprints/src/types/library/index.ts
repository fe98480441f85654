import type { AcceptanceLine } from "@slipway/spec";
import { languageOf } from "../../kit/common-files.ts";
import { unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { runsUnknownTool } from "../../kit/unknown-tool.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { chooseFunction } from "./choose-function.ts";
import type { Built } from "./generate-function.ts";
import { apiChapter, generateNode } from "./generate-node.ts";
import { errorName, generatePython, isPythonName, pythonChapter } from "./generate-python.ts";
import { type Designed, readDesign } from "./read-design.ts";
import { readGuards } from "./read-guards.ts";
import { sampleCalls } from "./sample-calls.ts";

/** The functions of `api_design`. One that is not known, or whose examples are not met, is not exported. */
export const library: OutcomeType = outcomeType("library", ["javascript", "typescript", "python"], design);

/** One module exports every function, so each task writes the whole. */
function design(document: DocumentToBuild<"library">): Design {
  const read = readDesign(document.id, document.api_design);
  const language = languageOf(document);
  const isPython = language === "python";
  const dialect = isTypeScript(document.stack["language"]) ? "ts" : "js";
  const unmet: Unmet[] = [...read.unmet];
  const built = read.functions.flatMap((designed): Built[] => {
    const { guards, unmet: unread } = readGuards(designed);
    // What is known by name is written in JavaScript.
    const choice = chooseFunction(designed, guards, !isPython);
    if (isPython && !isPythonName(designed.name)) {
      unmet.push({ pointer: designed.pointer, reason: "Not exported. Python cannot have a function of this name." });
      return [];
    }
    if (choice.is !== "unbuilt") {
      unmet.push(...unread, ...(isPython ? renamedErrors(designed) : []));
      const hasExamples = designed.examples.length > 0 || choice.is !== "expression";
      const samples = hasExamples ? [] : sampleCalls(designed, choice.expression, guards);
      const isTested = samples.length > 0 || designed.examples.length > 0 || choice.is === "catalogue";
      if (!isTested) unmet.push({ pointer: designed.pointer, reason: "Nothing tests it: give it 'examples'." });
      return [{ designed, choice, guards, samples }];
    }
    unmet.push({ pointer: designed.pointer, reason: `Not exported. ${choice.reason}` });
    return [];
  });
  const project = isPython ? generatePython(document, read, built) : generateNode(document, read, built, dialect);
  const known = isPython ? pythonStack : dialect === "ts" ? typescriptStack : javascriptStack;
  return {
    scripts: project.scripts,
    unmet: [...unmet, ...project.unmet, ...unmetWork(document), ...unknownStack(document, known)],
    chapters: [isPython ? pythonChapter(read.packageName, built) : apiChapter(read.packageName, built)],
    language,
    files: project.files,
    unmetLines: (lines) => lines.flatMap(unmetLine),
  };
}

const javascriptStack = { modules: /^esm?$/i, types: /^(?:declarations|d\.ts|typescript)$/i };
const pythonStack = { language: /^python[\d.]*$/i, runtime: /^c?python[\d.]*$/i };
const typescriptStack = { ...javascriptStack, language: /^typescript$|^ts$/i };

function isTypeScript(language: unknown): boolean {
  return typeof language === "string" && typescriptStack.language.test(language.trim());
}

/** Errors that Python calls otherwise. */
function renamedErrors({ throws, pointer }: Designed): readonly Unmet[] {
  return throws.flatMap(({ error }, index) => {
    const name = errorName(error);
    return name === error
      ? []
      : [{ pointer: `${pointer}/throws/${index}`, reason: `Python says ${name} for ${error}.` }];
  });
}

function unmetLine({ pointer, check }: AcceptanceLine): readonly Unmet[] {
  switch (check.kind) {
    case "tests":
      return [];
    case "command":
      return runsUnknownTool(check.command) ? [{ pointer, reason: "Nothing was built for this command." }] : [];
    case "named":
    case "performance":
      return [{ pointer, reason: "Nobody here measures this: check it with a command." }];
    default:
      return [{ pointer, reason: "A library answers no requests." }];
  }
}
