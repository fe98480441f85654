/** A statement of a Python file, on one line. */
export interface LogicalLine {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly indent: number;
  /** Without comments, and with every text as `""`; a text with values in it is `F""` followed by them in parentheses. */
  readonly bare: string;
  /** Without comments, texts as they are. */
  readonly full: string;
}

/** Longer statements are data, and expressions over them would take long. */
const maxChars = 20_000;

/** Reads a Python file statement by statement: brackets, backslashes and texts of several lines are joined. */
export function* readPython(text: string, onLong?: (line: number) => void): Generator<LogicalLine> {
  let line = 1;
  let begin = 1;
  let depth = 0;
  let bare = "";
  /** The end of `bare`: asking a text that grows for its end takes as long as the text is. */
  let last = "";
  let full = "";
  const done = (): LogicalLine | undefined => {
    if (full.trim().length > maxChars) onLong?.(begin);
    const statement = {
      line: begin,
      indent: /^ */.exec(full.replaceAll("\t", "    "))![0].length,
      bare: bare.trim().slice(0, maxChars),
      full: full.trim().slice(0, maxChars),
    };
    bare = "";
    last = "";
    full = "";
    return statement.bare === "" ? undefined : statement;
  };
  for (let at = 0; at < text.length; ) {
    const sign = text[at]!;
    if (sign === "#") {
      while (at < text.length && text[at] !== "\n") at += 1;
      continue;
    }
    const opening = /^(?:[rRbBuUfF]{0,2})("""|'''|"|')/.exec(text.slice(at, at + 5));
    if (opening !== null && !/\w/.test(last)) {
      const end = endOfText(text, at + opening[0].length, opening[1]!);
      const whole = text.slice(at, end);
      const isFormatted = /^[rRbB]{0,1}[fF]/.test(whole);
      const values = isFormatted
        ? [...whole.matchAll(/\{([^{}!:]{1,200})[!:}]/g)].map(([, value]) => value!.replaceAll(/["'\n]/g, ""))
        : [];
      const seen = values.length > 0 ? `F""+(${values.join(",")})` : '""';
      bare += seen;
      last = seen.at(-1)!;
      full += whole.replaceAll("\n", " ");
      line += countBreaks(whole);
      at = end;
      continue;
    }
    if (sign === "\n") {
      line += 1;
      at += 1;
      if (depth > 0) {
        bare += " ";
        last = " ";
        full += " ";
        continue;
      }
      const statement = done();
      if (statement !== undefined) yield statement;
      begin = line;
      continue;
    }
    if (sign === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) {
      at += text[at + 1] === "\r" ? 3 : 2;
      line += 1;
      continue;
    }
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth = Math.max(0, depth - 1);
    if (bare === "" && !/\s/.test(sign)) begin = line;
    if (!(bare === "" && /\s/.test(sign))) {
      bare += sign;
      last = sign;
    }
    full += sign;
    at += 1;
  }
  const statement = done();
  if (statement !== undefined) yield statement;
}

function endOfText(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
    // A text of one line that is not closed ends there, so that the rest of the file is still read.
    else if (quote.length === 1 && text[at] === "\n") return at;
  }
  return text.length;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
