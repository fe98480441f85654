import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { runsUnknownTool } from "../../kit/unknown-tool.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { chooseFunction } from "./choose-function.ts";
import type { Chosen } from "./generate-function.ts";
import { apiChapter, generateNode, type Limits } from "./generate-node.ts";
import { readDesign } from "./read-design.ts";

/** The functions of `api_design`. A function that the catalogue lacks, or whose examples fail, throws NotBuilt. */
export const library: OutcomeType = outcomeTypeFromLines("library", ["javascript"], design);

/** One module exports every function, so each task writes the whole. */
function design(document: CompleteSpec): Design {
  const read = readDesign(document);
  const chosen = read.functions.map((designed): Chosen => ({ designed, choice: chooseFunction(designed) }));
  const project = generateNode(document, read, chosen, limitsOf(document));
  const unmet = [
    ...read.unmet,
    ...chosen.flatMap(unmetFunction),
    ...project.unmet,
    ...unmetWork(document),
    ...unmetLines(document),
    ...unknownStack(document, { modules: /^esm?$/i, types: /^(?:declarations|d\.ts|typescript)$/i }),
  ];
  return {
    scripts: project.scripts,
    unmet,
    chapters: [apiChapter(read.packageName, chosen)],
    files: project.files,
  };
}

/** A function that is not built; or, of one that is, the errors that nothing shows to be thrown. */
function unmetFunction({ designed, choice }: Chosen): readonly Unmet[] {
  if (choice.is === "unbuilt") return [{ pointer: designed.pointer, reason: choice.reason }];
  const limited = designed.parameters.filter(({ minimum, maximum }) => minimum !== undefined || maximum !== undefined);
  return designed.throws.flatMap(({ error, when }, index) => {
    const hasExample = designed.examples.some(({ throws }) => throws === error);
    const isLimit = error === "RangeError" && limited.some(({ name }) => when.includes(name));
    const isKnown = choice.cases.some(({ throws }) => throws === error);
    if (hasExample || isLimit || isKnown) return [];
    const reason = `That ${designed.name} throws ${error} was not built: neither an example nor a limit says when.`;
    return [{ pointer: `${designed.pointer}/throws/${index}`, reason }];
  });
}

const limitNames = ["runtime_dependencies_max", "package_size_max_kb", "documented_exports_min_share"] as const;

function limitsOf({ acceptance }: CompleteSpec): Limits {
  const given = acceptance as Readonly<Record<string, unknown>>;
  const numbers = limitNames.filter((name) => typeof given[name] === "number");
  return Object.fromEntries(numbers.map((name) => [name, given[name]]));
}

function unmetLines(document: CompleteSpec): readonly Unmet[] {
  const measured = new Set(Object.keys(limitsOf(document)).map((name) => `/acceptance/${name}`));
  return acceptanceLines(document).flatMap(({ pointer, check }): Unmet[] => {
    switch (check.kind) {
      case "tests":
        return [];
      case "command":
        return runsUnknownTool(check.command) ? [{ pointer, reason: "Nothing was built for this command." }] : [];
      case "named":
      case "performance":
        return measured.has(pointer) ? [] : [{ pointer, reason: "Nobody here measures this." }];
      default:
        return [{ pointer, reason: "A library answers no requests." }];
    }
  });
}
