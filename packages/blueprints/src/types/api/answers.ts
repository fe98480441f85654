/** An answer in JSON that holds all the texts, starting from what it says anyway. */
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

/** Whether the JSON of a value holds the text, in either way to write JSON. */
export function isIn(value: unknown, text: string): boolean {
  return JSON.stringify(value).includes(text) || JSON.stringify(value, undefined, 2).includes(text);
}

/** `"status":"up"` as what it is: a name and a value. */
function memberOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const trimmed = text.trim().replace(/,$/, "");
  for (const candidate of [trimmed, `{${trimmed}}`, `{${trimmed}:true}`]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Not in this way: perhaps in the next.
    }
  }
  return undefined;
}
