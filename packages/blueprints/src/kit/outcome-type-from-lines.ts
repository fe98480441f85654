import type { CompleteSpec } from "@slipway/spec";
import type { BuildTask, OutcomeType, Scripts, Unmet } from "../plugin.ts";
import { commonFiles, type Language } from "./common-files.ts";
import type { FileSet } from "./file-set.ts";
import { notBuilt, unmetAnswers } from "./not-built.ts";
import { writeFiles } from "./write-files.ts";

/** What a type makes of a document. */
export interface Design {
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** The README's chapters about this kind of result. */
  readonly chapters: readonly string[];
  readonly language?: Language;
  /**
   * The files that a task writes, besides those of every result. Where the parts of a result name each other, each task
   * writes the whole. A plan does not call this.
   */
  readonly files: (task: BuildTask) => FileSet;
}

/** Replaced by `outcomeType`, type by type. Makes an outcome type of a design. The design must be pure: it is cached and used for every task of a document. */
export function outcomeTypeFromLines(
  name: string,
  languages: readonly string[],
  design: (document: CompleteSpec) => Design,
): OutcomeType {
  const designs = new WeakMap<CompleteSpec, Design>();
  const designOf = (document: CompleteSpec) => {
    const known = designs.get(document);
    if (known !== undefined) return known;
    const found = design(document);
    const reported = new Set(found.unmet.map(({ pointer }) => pointer));
    const more = unmetAnswers(document).filter(({ pointer }) => !reported.has(pointer));
    const whole = { ...found, unmet: [...found.unmet, ...more] };
    designs.set(document, whole);
    return whole;
  };
  return {
    name,
    languages,
    plan(document) {
      const { scripts, unmet } = designOf(document);
      return { scripts: { ...scripts, ...document.scripts }, unmet };
    },
    async build(task, workspace) {
      const { document } = workspace;
      const { scripts, unmet, chapters, language, files } = designOf(document);
      const common = commonFiles(document, scripts, [...chapters, ...notBuilt(unmet)], language);
      await writeFiles(workspace, task, common.addAll(files(task)));
    },
  };
}
