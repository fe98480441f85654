import { type Diagnostic, defaultEnvironment, type KnownPlugin, parseSpec, type SpecDocument } from "@slipway/spec";

export interface DocumentToRead {
  readonly bytes: Uint8Array;
  /** The environment that it will be used for; it must exist. */
  readonly environment?: string | undefined;
  /** Whether the whole document is wanted, as JSON. */
  readonly isJsonWanted?: boolean;
}

/** What there is to know of a document, and little enough of it to cross from thread to thread at no cost. */
export interface DocumentReading {
  /** Nothing: it is not valid. */
  readonly outline?: DocumentOutline;
  readonly diagnostics: readonly Diagnostic[];
  readonly json?: string;
}

/** What a project is made of. */
export interface DocumentOutline extends Pick<SpecDocument, "id" | "name" | "outcome_type"> {
  /** The environment that was asked for, or that the document chooses. */
  readonly environment: string | undefined;
}

export function parseDocument(
  { bytes, environment, isJsonWanted = false }: DocumentToRead,
  plugins: readonly KnownPlugin[],
): DocumentReading {
  const { document, diagnostics } = parseSpec(bytes, { environment, plugins });
  if (document === undefined) return { diagnostics };
  const { id, name, outcome_type } = document;
  const outline = { id, name, outcome_type, environment: environment ?? defaultEnvironment(document) };
  return { outline, diagnostics, ...(isJsonWanted && { json: JSON.stringify(document) }) };
}
