import type { TemplateText } from "../check/compile-schema.ts";
import type { DiagnosticCode } from "../diagnostics/codes.ts";
import { type Findings, pathOf } from "../diagnostics/diagnostic.ts";
import type { SpecDocument } from "../schema/document.ts";
import { type Node, spanAt } from "../yaml/node.ts";

/** A document whose wrong values were left out: anything may be missing anywhere. */
type Draft<T> = T extends readonly (infer Item)[]
  ? readonly (Draft<Item> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Draft<T[K]> | undefined }
    : T;

export type DraftDocument = Draft<SpecDocument>;
export type Keys = readonly (string | number)[];

/** What a rule looks at, beyond single values, and what it reports to. */
export class RuleContext {
  readonly document: DraftDocument;
  readonly templates: readonly TemplateText[];
  /** Outcome types that plugins define. */
  readonly pluginTypes: readonly string[];
  readonly #root: Node;
  readonly #findings: Findings;

  constructor(
    root: Node,
    document: DraftDocument,
    findings: Findings,
    more: Pick<RuleContext, "templates" | "pluginTypes">,
  ) {
    this.document = document;
    this.templates = more.templates;
    this.pluginTypes = more.pluginTypes;
    this.#root = root;
    this.#findings = findings;
  }

  /** Reports a problem of the value, or the key, at a place in the document. */
  report(code: DiagnosticCode, at: Keys, message: string, suggestion?: string, what: "key" | "value" = "value"): void {
    const path = pathOf(at);
    this.#findings.add({ code, message, path, span: spanAt(this.#root, path, what), suggestion });
  }

  reportWithin(template: TemplateText, code: DiagnosticCode, message: string, suggestion?: string): void {
    this.#findings.add({ code, message, path: template.path, span: template.span, suggestion });
  }
}

/** Something that holds between the values of a document. */
export type Rule = (context: RuleContext) => void;

/** The entries of a map that could be read. */
export function entriesOf<T>(map: { readonly [key: string]: T | undefined } | undefined): [string, T][] {
  return Object.entries(map ?? {}).filter((entry): entry is [string, T] => entry[1] !== undefined);
}

/** The items of a list that could be read, with their places. */
export function itemsOf<T>(list: readonly (T | undefined)[] | undefined): [number, T][] {
  return [...(list ?? []).entries()].filter((entry): entry is [number, T] => entry[1] !== undefined);
}
