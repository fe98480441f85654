import { sql } from "kysely";
import pg from "pg";

/** Our statements are far fewer; were there more texts, values would be written into them. */
const maxStatements = 500;
const names = new Map<string, string>();

const planMark = "/* planned anew */";

/** For a statement whose best plan depends on its values so much that one plan for all of them would be a bad one. */
export const plannedAnew = sql.raw(planMark);

/** What is said of a statement whose answer was waited for long enough. */
export const noAnswer = "The database did not answer in time";

export interface PreparedClientConfig extends pg.ClientConfig {
  /** How long an answer is waited for. */
  readonly answerTimeoutMs?: number;
}

/** Without an error there is a result. */
type Callback = (error: Error | null, result: pg.QueryResult) => void;

/**
 * A connection on which each statement is parsed once; from then on only its values are sent.
 *
 * The library's own promises and its `query_timeout` are not used: they hang a closure on each query, and what such a query
 * reads outlives every small collection up to the next full one. Whoever reads much spent a tenth of its time on that.
 */
export class PreparedClient extends pg.Client {
  readonly #answerTimeoutMs: number | undefined;
  /** Prepared for a table that has changed since. */
  readonly #outdated = new Set<string>();

  constructor(config?: PreparedClientConfig) {
    super(config);
    this.#answerTimeoutMs = config?.answerTimeoutMs;
  }

  /** What is asked by an object is the library's own business, and is waited for without an end. */
  // biome-ignore lint/suspicious/noExplicitAny: the library's method has nine shapes, and all but two pass through.
  override query(statement: any, values?: any, callback?: any): any {
    if (typeof statement !== "string" || typeof values === "function") return super.query(statement, values, callback);
    if (callback !== undefined) return this.#send({ text: statement, values }, callback);
    const name = values?.length > 0 ? nameOf(statement) : undefined;
    const isNamed = name !== undefined && !this.#outdated.has(name);
    return this.#ask({ ...(isNamed && { name }), text: statement, values }).catch((error: pg.DatabaseError) => {
      // Else it would lead to the socket, not to who asked.
      Error.captureStackTrace(error);
      // "cached plan must not change result type": a newer node has migrated the database.
      if (error.code !== "0A000" || !isNamed) throw error;
      this.#outdated.add(name);
      return this.#ask({ text: statement, values });
    });
  }

  #ask(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    this.#send(query, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    return promise;
  }

  #send(query: pg.QueryConfig, callback: Callback): void {
    if (this.#answerTimeoutMs === undefined) {
      super.query(query, callback);
      return;
    }
    let isOver = false;
    const end: Callback = (error, result) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      callback(error, result);
    };
    const timer = setTimeout(() => {
      end(new Error(noAnswer), noResult);
      this.#cut();
    }, this.#answerTimeoutMs);
    super.query(query, end);
  }

  /** Takes no more statements, and waits for no more answers: one that is behind would wait as long again. */
  #cut(): void {
    void this.end().catch(() => undefined);
    // By itself it ends when all is answered that was sent, and a database that is frozen answers nothing.
    (this as unknown as WithSocket).connection.stream.destroy();
  }
}

/** What the library keeps its socket in; it is not in its types. */
interface WithSocket {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Nobody reads it beside an error. */
const noResult = undefined as unknown as pg.QueryResult;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxStatements || text.includes(planMark)) return known;
  const name = `slipway_${names.size}`;
  names.set(text, name);
  return name;
}
