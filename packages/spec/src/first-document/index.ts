import type { BuiltInType } from "../outcome-types/index.ts";
import { outcomeTypes } from "../schema/document.ts";
import { bodies } from "./bodies.ts";

/** What a first document is written for. */
export interface FirstDocument {
  readonly type: BuiltInType;
  readonly id: string;
  readonly name: string;
  /** One of `firstLanguages`; the first of them if absent. */
  readonly language?: string | undefined;
}

/** The languages that the built-in agent writes each type in, the usual one first. */
export const firstLanguages: Readonly<Record<BuiltInType, readonly string[]>> = {
  "web-app": ["javascript"],
  api: ["javascript", "python"],
  cli: ["javascript", "python"],
  game: ["javascript"],
  library: ["javascript"],
  "ml-pipeline": ["python", "javascript"],
  "mobile-app": ["javascript"],
  "desktop-app": ["javascript"],
  infrastructure: ["javascript"],
  documentation: ["javascript"],
};

/** A small document to start from: it is valid, and the built-in agent builds all of it. Its comments explain it. */
export function firstDocument({ type, id, name, language = firstLanguages[type][0]! }: FirstDocument): string {
  return `# A document for Slipway. Try it:   slipway run ${id}.yaml
# What a key means:          slipway explain KEY     (slipway explain ${type} lists them)
# What is wrong with it:     slipway validate ${id}.yaml
spec_version: "1.0.0"
# Documents with the same id are versions of the same application.
id: ${id}
name: ${JSON.stringify(name)}
description: ${JSON.stringify(`${outcomeTypes[type]} Say here what it is for.`)}
outcome_type: ${type}

stack:
  language: ${language}

${bodies[type]({ id, language })}`;
}
