import type { ParsedSpec } from "@slipway/spec";
import type { DocumentSource } from "./read-documents.ts";

/** A document that was read, with its diagnostics. */
export interface CheckedDocument extends ParsedSpec {
  readonly source: DocumentSource;
  readonly isValid: boolean;
}

export interface ValidateOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  readonly strict?: true;
  readonly explain?: true;
  readonly showDefaults?: true;
  readonly json?: true;
  readonly format?: "human" | "json" | "sarif" | "github";
}
