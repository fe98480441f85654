/** What the YAML library found wrong, as it tells it. */
export interface SyntaxProblem {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [start: number, end: number];
}

/** What is wrong and what to do, in words for an author who is not thinking in YAML's grammar. */
export function explainSyntaxProblem(problem: SyntaxProblem, text: string): { what: string; suggestion?: string } {
  const message = shorten(problem.message);
  switch (problem.code) {
    case "TAB_AS_INDENT":
      return { what: "a tab is used as indentation.", suggestion: "Indent with spaces." };
    case "BAD_INDENT":
      return { what: `${lowerFirst(message)}.`, suggestion: "Align it with its neighbours, with spaces." };
    case "BLOCK_AS_IMPLICIT_KEY":
      return {
        what: "a second ': ' on the line makes it a map inside a value.",
        suggestion: "Put the value in quotes if ': ' is part of it, or start the map on a new line.",
      };
    case "MULTILINE_IMPLICIT_KEY":
      return {
        what: "a key must stand on one line.",
        suggestion: "Look for a missing ':' or quote on the line before.",
      };
    case "BAD_SCALAR_START":
      return { what: `${lowerFirst(message)}.`, suggestion: "Put the value in quotes." };
    case "BAD_DQ_ESCAPE":
      return {
        what: `${lowerFirst(message)}.`,
        suggestion: "Use single quotes, where a backslash is only a backslash, or write it twice.",
      };
    case "MISSING_CHAR":
      return missingCharacter(message);
    case "KEY_OVER_1024_CHARS":
      return { what: "a key is longer than 1024 characters.", suggestion: "Look for a missing line break before it." };
    case "UNEXPECTED_TOKEN":
      return unexpectedToken(problem, message, text);
    default:
      return { what: `${lowerFirst(message)}.` };
  }
}

function missingCharacter(message: string): { what: string; suggestion?: string } {
  if (/closing .quote/.test(message))
    return { what: "a quote is opened and never closed.", suggestion: "Close the quote." };
  if (message.startsWith("Implicit map keys"))
    return { what: "a key is not followed by ':' and a value.", suggestion: "Write ': ' after the key." };
  if (message.startsWith("Sequence item"))
    return { what: "an entry of a list does not start with '- '.", suggestion: "Start it with '- ', or indent it." };
  const bracket = /Flow (sequence|map) .*expected (.+)$/i.exec(message) ?? /expected (.+)$/i.exec(message);
  if (bracket && /end|[\]}]/.test(message))
    return { what: `${lowerFirst(message)}.`, suggestion: "Close the bracket." };
  return { what: `${lowerFirst(message)}.` };
}

function unexpectedToken(problem: SyntaxProblem, message: string, text: string): { what: string; suggestion?: string } {
  const found = text.slice(problem.pos[0], Math.min(problem.pos[1], problem.pos[0] + 20)).trim();
  if (/^[@`]/.test(found))
    return { what: `a value cannot start with '${found[0]}'.`, suggestion: "Put the value in quotes." };
  if (/flow-(map|seq)-end|[\]}]/.test(message))
    return { what: "a bracket is closed that was not opened.", suggestion: "Remove it, or put the value in quotes." };
  return { what: `${lowerFirst(message)}.`, suggestion: "Check quotes, brackets and indentation around it." };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}

/** The library quotes what it found, which may be as long as the document. */
function shorten(message: string): string {
  const oneLine = message.replace(/\s+/g, " ");
  return oneLine.length > 120 ? `${oneLine.slice(0, 119)}…` : oneLine;
}
