import { limits } from "../limits.ts";

/** The kind of file that is read, for limits and messages. */
export interface FileKind {
  readonly name: string;
  readonly maxBytes: number;
  /** Suggestions for a text that is too large or empty. */
  readonly whenTooLarge: string;
  readonly whenEmpty: string;
}

export const specificationFile: FileKind = {
  name: "document",
  maxBytes: limits.documentBytes,
  whenTooLarge: "Move data from the document into project files.",
  whenEmpty: "Start with spec_version, id, name, description, outcome_type, acceptance and stack.",
};
