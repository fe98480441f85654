import { sql } from "kysely";
import pg from "pg";

/** Our statements are far fewer; were there more texts, values would be written into them. */
const mostStatements = 500;
const names = new Map<string, string>();

const planMark = "/* planned anew */";

/** For a statement whose best plan depends on its values so much that one plan for all of them would be a bad one. */
export const plannedAnew = sql.raw(planMark);

/** What `pg` says when its `query_timeout` is over. */
export const noAnswer = "Query read timeout";

/** A connection on which each statement is parsed once; from then on only its values are sent. */
export class PreparedClient extends pg.Client {
  /** Prepared for a table that has changed since. */
  readonly #outdated = new Set<string>();

  // biome-ignore lint/suspicious/noExplicitAny: the library's method has nine shapes, and all but one pass through.
  override query(statement: any, values?: any, ...rest: any[]): any {
    const isOurs = typeof statement === "string" && values?.length > 0 && rest.length === 0;
    const name = isOurs ? nameOf(statement) : undefined;
    const isNamed = name !== undefined && !this.#outdated.has(name);
    const answer = isNamed
      ? super.query({ name, text: statement, values })
      : super.query(statement, values, ...(rest as []));
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: pg.DatabaseError) => {
      // With a statement under way, `end` cuts the connection: who rolls back next must not wait for it as long again.
      if (error.message === noAnswer) void this.end().catch(() => undefined);
      // "cached plan must not change result type": a newer node has migrated the database.
      if (error.code !== "0A000" || !isNamed) throw error;
      this.#outdated.add(name);
      return super.query(statement, values);
    });
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostStatements || text.includes(planMark)) return known;
  const name = `slipway_${names.size}`;
  names.set(text, name);
  return name;
}
