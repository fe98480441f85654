/** A JSON response that contains all the texts, based on what it would say anyway. */
export function answerContaining(
  texts: readonly string[],
  base: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const answer: Record<string, unknown> = { ...base };
  const words: string[] = [];
  for (const text of texts.filter((candidate) => !isIn(base, candidate))) {
    const member = memberOf(text);
    if (isIn({ ...answer, words }, text)) continue;
    if (member !== undefined) Object.assign(answer, member);
    else if ("status" in base && answer["status"] === base["status"] && /^[\w -]+$/.test(text)) answer["status"] = text;
    else words.push(text);
  }
  return words.length > 0 ? { ...answer, words } : answer;
}

/** Whether the JSON of a value, compact or indented, contains the text. */
export function isIn(value: unknown, text: string): boolean {
  return JSON.stringify(value).includes(text) || JSON.stringify(value, undefined, 2).includes(text);
}

/** Reads `"status":"up"` as a member of an object. */
function memberOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const trimmed = text.trim().replace(/,$/, "");
  for (const candidate of [trimmed, `{${trimmed}}`, `{${trimmed}:true}`]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Try the next way to read it.
    }
  }
  return undefined;
}
