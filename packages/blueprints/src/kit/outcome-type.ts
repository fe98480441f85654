import {
  type AcceptanceLine,
  acceptanceLines,
  type BuiltInType,
  type CompleteSpec,
  isDocumentKey,
  isKeyOfEach,
  type JsonSchema,
  measuredOfCommand,
  serviceChecks,
  type TypeKeys,
  vocabularyOf,
} from "@slipway/spec";
import type { BuildTask, OutcomeType, Scripts, Unmet } from "../plugin.ts";
import { commonFiles, type Language } from "./common-files.ts";
import { withSteps } from "./document-steps.ts";
import type { FileSet } from "./file-set.ts";
import { notBuilt } from "./not-built.ts";
import { trackReads } from "./track-reads.ts";
import { writeFiles } from "./write-files.ts";

/** What a type makes of a document. */
export interface Design {
  readonly scripts: Scripts;
  /** What of the type's own keys the result does not honour. */
  readonly unmet: readonly Unmet[];
  /** The README's chapters about this kind of result. */
  readonly chapters: readonly string[];
  readonly language?: Language;
  /** The name of the result, where it is not the document's. */
  readonly title?: string;
  /** What Git leaves out besides the usual; if absent `data/`, where most results keep what they are told. */
  readonly ignored?: readonly string[];
  /**
   * The files that a task writes, besides those of every result. Where the parts of a result name each other, each task
   * writes the whole. A plan does not call this: what it needs of the document was read before.
   */
  readonly files: (task: TaskToBuild) => FileSet;
  /** Which of these lines the result does not meet, as far as that is known beforehand. */
  readonly unmetLines: (lines: readonly AcceptanceLine[]) => readonly Unmet[];
}

/** A task without the lines that it serves: they are checks of the result, and nothing to build from. */
type TaskToBuild = Omit<BuildTask, "lines">;

/** What a type builds from: the document without its acceptance, but for where tests are and what runs them. */
export type DocumentToBuild<Name extends BuiltInType> = CompleteSpec & TypeKeys<Name>;

/** Makes an outcome type of a design. The design must be pure: it is cached and used for every task of a document. */
export function outcomeType<const Name extends BuiltInType>(
  name: Name,
  languages: readonly string[],
  design: (document: DocumentToBuild<Name>) => Design,
): OutcomeType {
  const designs = new WeakMap<CompleteSpec, Design>();
  const vocabulary = vocabularyOf(name)!;
  const designOf = (document: CompleteSpec) => {
    const known = designs.get(document);
    if (known !== undefined) return known;
    const { value, unread } = trackReads(withoutLines(document));
    const found = withSteps(() => design(value as DocumentToBuild<Name>));
    const own = Object.keys(document).filter((key) => !isDocumentKey(key) || isKeyOf(vocabulary, key));
    const pointers = unread(own).filter((pointer) => !isReadElsewhere(pointer, vocabulary));
    const whole = { ...found, unmet: [...found.unmet, ...unused(pointers, found.unmet)] };
    designs.set(document, whole);
    return whole;
  };
  return {
    name,
    languages,
    schema: vocabulary,
    plan(document) {
      const { scripts, unmet, unmetLines } = designOf(document);
      const lines = unmetLines(acceptanceLines(document).filter(isForTheType));
      return { scripts: { ...scripts, ...document.scripts }, unmet: [...unmet, ...lines] };
    },
    async build({ lines: _, ...task }, workspace) {
      const { document } = workspace;
      const { scripts, unmet, chapters, language, title = document.name, ignored, files } = designOf(document);
      const named = { ...document, name: title };
      const common = commonFiles(named, scripts, [...chapters, ...notBuilt(unmet)], language, ignored);
      await writeFiles(workspace, task, common.addAll(withSteps(() => files(task))));
    },
  };
}

/** What the service checks by itself is known when it has. */
function isForTheType({ check }: AcceptanceLine): boolean {
  if (check.kind === "performance" && check.command !== undefined) return measuredOfCommand(check.metric) === undefined;
  return check.kind !== "named" || (check.command === undefined && !serviceChecks.includes(check.name));
}

/** Nothing of an acceptance line may get into a result: it would be built to its own check. */
function withoutLines(document: CompleteSpec): CompleteSpec {
  const { acceptance, phases, services, environments, ...rest } = document;
  const places = (acceptance.tests ?? []).map(({ file, type, framework }) => ({
    ...(file !== undefined && { file }),
    type,
    ...(framework !== undefined && { framework }),
  }));
  return {
    ...rest,
    acceptance: { ...(acceptance.tests !== undefined && { tests: places }) },
    ...(phases !== undefined && { phases: eachWithout(phases) }),
    ...(services !== undefined && { services: eachWithout(services) }),
    ...(environments !== undefined && { environments: eachWithout(environments) }),
  } as CompleteSpec;
}

function eachWithout<T extends object>(parts: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const { acceptance: _, ...rest } = part as T & { acceptance?: unknown };
      return [name, rest as T];
    }),
  );
}

function isKeyOf(vocabulary: JsonSchema | undefined, key: string): boolean {
  return Object.hasOwn(vocabulary?.properties ?? {}, key);
}

/** Keys of services and environments that every document may have, and what the chosen environment brought to the top. */
function isReadElsewhere(pointer: string, vocabulary: JsonSchema): boolean {
  const [, first = "", , third] = pointer.split("/");
  const isPart = first === "services" || first === "environments";
  if (isPart && third !== undefined) return pointer.split("/").length === 4 && isKeyOfEach(first, third);
  return !isPart && isKeyOf(vocabulary.properties?.["environments"]?.additionalProperties, first);
}

/** What nobody read, unless the design says more about it. */
function unused(pointers: readonly string[], reported: readonly Unmet[]): readonly Unmet[] {
  return pointers
    .filter((pointer) => !reported.some((one) => one.pointer === pointer || pointer.startsWith(`${one.pointer}/`)))
    .map((pointer) => ({ pointer, reason: "The builder does not use this." }));
}
