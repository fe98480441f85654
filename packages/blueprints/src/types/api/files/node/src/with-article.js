/** What one record is called: `an invoice`, `a room`. */
export function withArticle(title) {
  return `${/^[aeiou]/i.test(title) ? "an" : "a"} ${title}`;
}
