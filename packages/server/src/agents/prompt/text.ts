/** How many bytes of each go into a prompt; with rules and titles, what comes first is never cut. */
export const most = {
  error: 4096,
  description: 16_384,
  acceptance: 12_288,
  breakdown: 16_384,
  further: 32_768,
} as const;

export function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n${lines.join("\n").trimEnd()}`;
}

/** A text of somebody's with no heading in it that could be taken for one of ours. */
export function plain(text: string): string {
  return text.trim().replace(/^#+(?= )/gm, "-");
}

/** A text, cut where it is too long. */
export function cutTo(maxBytes: number, text: string, note = "… (the rest was left out)"): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text.toWellFormed();
  const room = maxBytes - Buffer.byteLength(note) - 1;
  // A character that would be cut in two is left out whole.
  const kept = new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
  return `${kept.trimEnd()}\n${note}`;
}
