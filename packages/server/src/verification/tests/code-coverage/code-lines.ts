import type { Language } from "../test-files.ts";

/** The numbers of those that hold code. By the look: a comment is one that a line begins with, for elsewhere it may stand in a text. */
export function codeLines(lines: readonly string[], language: Language): number[] {
  const code: number[] = [];
  let isInComment = false;
  for (const [index, line] of lines.entries()) {
    let text = line.trim();
    if (language === "python") {
      if (text !== "" && !text.startsWith("#")) code.push(index + 1);
      continue;
    }
    while (isInComment || text.startsWith("/*")) {
      const end = text.indexOf("*/", isInComment ? 0 : 2);
      isInComment = end < 0;
      text = isInComment ? "" : text.slice(end + 2).trimStart();
      if (isInComment) break;
    }
    if (text !== "" && !text.startsWith("//")) code.push(index + 1);
  }
  return code;
}
