/** Clauses, each as a sentence of its own. */
export function asSentences(clauses: readonly string[]): string {
  return clauses
    .map((clause) => `${clause.charAt(0).toUpperCase()}${clause.slice(1).replace(/[.;]?$/, ".")}`)
    .join(" ");
}
