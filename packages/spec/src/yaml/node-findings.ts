/** What can be wrong with the nodes of a YAML document: a finding for each problem. */

import type { Finding, Path, Span } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import { shorten } from "./shorten.ts";

export function tooDeep(span: Span, path?: Path): Finding {
  const message = `Maps and lists are nested more than ${limits.depth} levels deep.`;
  return { code: "too_deep", message, span, path, suggestion: "Reduce the nesting." };
}

export function tooManyEntries(what: "list" | "map", count: number, span: Span, path: Path | undefined): Finding {
  return {
    code: "too_many_entries",
    message: `The ${what} has ${count} entries. At most ${limits.entries} are allowed.`,
    span: { start: span.start, end: span.start + 1 },
    path,
    suggestion: "Move data from the document into project files.",
  };
}

export function tooLong(
  what: "key" | "string",
  length: number,
  max: number,
  span: Span,
  path: Path | undefined,
): Finding {
  return {
    code: "scalar_too_long",
    message: `The ${what} has ${length} characters. At most ${max} are allowed.`,
    span: { start: span.start, end: span.start + 1 },
    path,
    suggestion: what === "key" ? "Choose a shorter name." : "Move it into a project file.",
  };
}

export function forbiddenInString(character: string, span: Span, path: Path | undefined): Finding {
  const name = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return {
    code: "control_character",
    message: `The character ${name} is not allowed in a string.`,
    span,
    path,
    suggestion: "Remove the escape.",
  };
}

export function forbiddenKey(name: string, span: Span, path: Path): Finding {
  return {
    code: "forbidden_key",
    message: `The key '${name}' is not allowed.`,
    span,
    path,
    suggestion: "Choose another name.",
  };
}

export function duplicateKey(name: string, first: Span, span: Span, path: Path): Finding {
  return {
    code: "duplicate_key",
    message: (lineOf) => `The key '${shorten(name)}' is already set at line ${lineOf(first.start)}.`,
    span,
    path,
    suggestion: "Keep one of the two, or combine their values.",
  };
}

export function badMerge(span: Span, path: Path): Finding {
  return {
    code: "bad_merge",
    message: "The value of the merge key '<<' must be a map, or a list of maps.",
    span,
    path,
    suggestion: "Write '<<: *anchor', where the anchor marks a map.",
  };
}

export function tooManyAliases(isByCount: boolean, span: Span, path: Path | undefined): Finding {
  return {
    code: "too_many_aliases",
    message: isByCount
      ? `The document has more than ${limits.aliases} YAML aliases.`
      : "Expanding the YAML aliases makes the document larger than 1 MiB.",
    span,
    path,
    suggestion: "Use fewer aliases.",
  };
}

export function unresolvedAlias(name: string, isCycle: boolean, span: Span, path: Path | undefined): Finding {
  return {
    code: isCycle ? "alias_cycle" : "unknown_alias",
    message: isCycle
      ? `The alias '*${shorten(name)}' is inside its own anchor.`
      : `The alias '*${shorten(name)}' has no anchor '&${shorten(name)}' before it.`,
    span,
    path,
    suggestion: isCycle ? "Move the alias out of the anchored value." : "Define the anchor first, or quote the value.",
  };
}
