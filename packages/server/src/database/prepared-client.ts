import pg from "pg";

/** Our statements are far fewer; were there more texts, values would be written into them. */
const mostStatements = 500;
const names = new Map<string, string>();

/** A connection on which each statement is parsed once; from then on only its values are sent. */
export class PreparedClient extends pg.Client {
  /** Prepared for a table that has changed since. */
  readonly #outdated = new Set<string>();

  // biome-ignore lint/suspicious/noExplicitAny: the library's method has nine shapes, and all but one pass through.
  override query(statement: any, values?: any, ...rest: any[]): any {
    const isOurs = typeof statement === "string" && values?.length > 0 && rest.length === 0;
    const name = isOurs ? nameOf(statement) : undefined;
    if (name === undefined || this.#outdated.has(name)) return super.query(statement, values, ...(rest as []));
    return super.query({ name, text: statement, values }).catch((error: pg.DatabaseError) => {
      // "cached plan must not change result type": a newer node has migrated the database.
      if (error.code !== "0A000") throw error;
      this.#outdated.add(name);
      return super.query(statement, values);
    });
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostStatements) return known;
  const name = `slipway_${names.size}`;
  names.set(text, name);
  return name;
}
