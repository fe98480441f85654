import { type Diagnostic, defaultEnvironment, type KnownPlugin, parseSpec, type SpecDocument } from "@slipway/spec";

export interface DocumentToRead {
  readonly bytes: Uint8Array;
  /** The environment to use it for; it must exist. */
  readonly environment?: string | undefined;
  /** Whether the caller needs the whole document as JSON. */
  readonly isJsonWanted?: boolean;
}

/** The result of parsing, small enough to pass from thread to thread at no cost. */
export interface DocumentReading {
  /** Undefined if the document is not valid. */
  readonly outline?: DocumentOutline;
  readonly diagnostics: readonly Diagnostic[];
  readonly json?: string;
}

/** The parts of a document that a project stores. */
export interface DocumentOutline extends Pick<SpecDocument, "id" | "name" | "outcome_type"> {
  /** The requested environment, or the default of the document. */
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
