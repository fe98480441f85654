/** The maximum of each section; the first sections always fit into the prompt together with rules and titles. */
export const maxBytes = {
  error: 4096,
  description: 16_384,
  acceptance: 12_288,
  breakdown: 16_384,
  further: 32_768,
} as const;

export function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n${lines.join("\n").trimEnd()}`;
}

/** An author's text without headings, which an agent could take for ours. */
export function plain(text: string): string {
  return text.trim().replace(/^#+(?= )/gm, "-");
}

export function cutTo(limitBytes: number, text: string, note = "… (the rest was left out)"): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limitBytes) return text.toWellFormed();
  const room = limitBytes - Buffer.byteLength(note) - 1;
  // A character that would be cut in two is left out whole.
  const fitting = new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
  return `${fitting.trimEnd()}\n${note}`;
}
