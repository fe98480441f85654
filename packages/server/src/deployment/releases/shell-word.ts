/**
 * A text as one word for a shell. People paste lines with it, so it is quoted unless it is plain. A control character would
 * split the line or move the cursor of a terminal: such a text is refused.
 */
export function shellWord(text: string): string {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) throw new Error("a word for a shell holds a control character");
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
