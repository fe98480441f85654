/** Splits arguments, and leaves their quotes; undefined if a shell would do more with them than split them. */
export function splitWords(text: string): readonly string[] | undefined {
  // The one substitution that built-in outcome types write.
  const found = text.match(/\$\(find [\w\s./*'"-]+\)|(?:'[^']*'|"[^"$`\\]*"|[^\s'"`$;|&<>()\\])+|\S/g) ?? [];
  return found.every((word) => word.startsWith("$(find ") || /^(?:'[^']*'|"[^"]*"|[^\s'"`$;|&<>()\\])+$/.test(word))
    ? found
    : undefined;
}

/** A word as the program sees it. */
export function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? "");
}
