/** What one record is called: `an invoice`, `a room`. */
export function withArticle(title) {
  return `${/^(?!u(?:ser|ni)|eu)[aeiou]/i.test(title) ? "an" : "a"} ${title}`;
}
