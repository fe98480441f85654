/** The HTTP status that a response must have: one, or any of a class such as 2xx. */
export type StatusMatch = { readonly exactly: number } | { readonly class: 1 | 2 | 3 | 4 | 5 };

export function parseStatusMatch(text: string): StatusMatch | undefined {
  if (/^[1-5]\d\d$/.test(text)) return { exactly: Number(text) };
  if (/^[1-5]xx$/i.test(text)) return { class: Number(text[0]) as 1 | 2 | 3 | 4 | 5 };
  return undefined;
}

export function matchesStatus(match: StatusMatch, status: number): boolean {
  return "exactly" in match ? match.exactly === status : Math.floor(status / 100) === match.class;
}

export function describeStatusMatch(match: StatusMatch): string {
  return "exactly" in match ? String(match.exactly) : `${match.class}xx`;
}
