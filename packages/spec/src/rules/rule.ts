import type { TemplateText } from "../check/check-context.ts";
import type { DiagnosticCode } from "../diagnostics/codes.ts";
import { type Findings, type Path, pathOf, type Span, type Suggestion } from "../diagnostics/diagnostic.ts";
import type { KnownPlugin } from "../plugins.ts";
import type { SpecDocument } from "../schema/document.ts";
import type { JsonSchema } from "../schema/shape.ts";
import { templateParts } from "../templates.ts";
import { type Node, spanAt } from "../yaml/node.ts";

/** A document without its invalid values: anything may be missing. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? readonly (Draft<Item> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Draft<T[K]> | undefined }
    : T;

export type DraftDocument = Draft<SpecDocument>;
export type Keys = readonly (string | number)[];

/** Accepts diagnostics for values of a document. */
export type Reporter = Pick<RuleContext, "report">;

/** What a rule reads, and where it reports. */
export class RuleContext {
  readonly document: DraftDocument;
  readonly templates: readonly TemplateText[];
  /** Outcome types that plugins define. */
  readonly pluginTypes: readonly string[];
  /** The plugins that a document may name; undefined if they are unknown. */
  readonly knownPlugins: readonly KnownPlugin[] | undefined;
  /** The keys that the document's type adds; undefined if they are unknown. */
  readonly typeKeys: JsonSchema | undefined;
  readonly #text: string;
  readonly #root: Node;
  readonly #findings: Findings;
  /** Code and position of each reported problem. */
  readonly #reported = new Set<string>();
  /** Maps a position in a merged document to the position in the text. */
  #placeOf: (at: Keys) => Keys = (at) => at;

  constructor(
    text: string,
    root: Node,
    document: DraftDocument,
    findings: Findings,
    more: Pick<RuleContext, "templates" | "pluginTypes" | "knownPlugins" | "typeKeys">,
  ) {
    this.#text = text;
    this.document = document;
    this.templates = more.templates;
    this.pluginTypes = more.pluginTypes;
    this.knownPlugins = more.knownPlugins;
    this.typeKeys = more.typeKeys;
    this.#root = root;
    this.#findings = findings;
  }

  /** Reports a problem of the value, or the key, at a position in the document. */
  report(
    code: DiagnosticCode,
    at: Keys,
    message: string,
    suggestion?: Suggestion,
    what: "key" | "value" = "value",
  ): void {
    const path = pathOf(this.#placeOf(at));
    if (!this.takes(code)) {
      this.#findings.add({ code, message, path, span: nowhere });
      return;
    }
    const problem = `${code} ${at.join("/")}`;
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#findings.add({ code, message, path, span: spanAt(this.#root, path, what), suggestion });
  }

  /** A context for a merged document; problems that are already reported are not reported again. */
  merged(document: DraftDocument, placeOf: (at: Keys) => Keys): RuleContext {
    const context = new RuleContext(this.#text, this.#root, document, this.#findings, this);
    for (const problem of this.#reported) context.#reported.add(problem);
    context.#placeOf = placeOf;
    return context;
  }

  /** Whether a problem would be reported, or only counted. */
  takes(code: DiagnosticCode): boolean {
    return this.#findings.takes(code);
  }

  /** Reports a problem at a span inside the value at a path. */
  reportWithin(
    path: Path | undefined,
    span: Span,
    code: DiagnosticCode,
    message: string,
    suggestion: Suggestion,
  ): void {
    this.#findings.add({ code, message, path, span, suggestion });
  }

  /** The names in `{{…}}` with their spans; the span of the whole string if it is an alias or has escapes. */
  namesIn({ text, span }: TemplateText): readonly { readonly name: string; readonly span: Span }[] {
    const parts = templateParts(text);
    const written = templateParts(this.#text.slice(span.start, span.end));
    if (written.length !== parts.length) return parts.map(({ name }) => ({ name, span }));
    return written.map(({ start, end }, index) => ({
      name: parts[index]!.name,
      span: { start: span.start + start, end: span.start + end },
    }));
  }
}

const nowhere: Span = { start: 0, end: 0 };

/** A check between the values of a document. */
export type Rule = (context: RuleContext) => void;

/** The valid entries of a map. */
export function entriesOf<T>(map: { readonly [key: string]: T | undefined } | undefined): [string, T][] {
  return Object.entries(map ?? {}).filter((entry): entry is [string, T] => entry[1] !== undefined);
}

/** The valid items of a list, with their indexes. */
export function itemsOf<T>(list: readonly (T | undefined)[] | undefined): [number, T][] {
  return [...(list ?? []).entries()].filter((entry): entry is [number, T] => entry[1] !== undefined);
}
