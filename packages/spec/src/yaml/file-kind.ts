import { limits } from "../limits.ts";

/** What a text is meant to be, as far as the reading of YAML has something to say of it. */
export interface FileKind {
  readonly name: string;
  readonly maxBytes: number;
  /** What to do about a text that is too large, and about one that says nothing. */
  readonly whenTooLarge: string;
  readonly whenEmpty: string;
}

export const specificationFile: FileKind = {
  name: "document",
  maxBytes: limits.documentBytes,
  whenTooLarge: "Move data from the document into project files.",
  whenEmpty: "Start with spec_version, id, name, description, outcome_type, acceptance and stack.",
};
