/** The address of deployed software comes from a project: only the web's own schemes are links. */
export function safeUrl(url: string | null | undefined): string | undefined {
  const parsed = URL.parse(url ?? "");
  return parsed?.protocol === "http:" || parsed?.protocol === "https:" ? parsed.href : undefined;
}
