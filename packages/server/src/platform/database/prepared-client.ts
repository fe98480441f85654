import { sql } from "kysely";
import pg from "pg";

/** We have far fewer statements. More texts would mean that somebody writes values into them. */
const maxStatements = 500;
const names = new Map<string, string>();

const planMark = "/* planned anew */";

/** Marks a statement that Postgres must plan for each set of values, because one plan would be bad for most of them. */
export const plannedAnew = sql.raw(planMark);

/** The message of the error when an answer takes too long. */
export const noAnswer = "The database did not answer in time";

export interface PreparedClientConfig extends pg.ClientConfig {
  /** How long we wait for an answer. */
  readonly answerTimeoutMs?: number;
}

/** Without an error there is a result. */
type Callback = (error: Error | undefined, result: pg.QueryResult) => void;

/**
 * A connection that prepares each statement once and then sends only its values.
 *
 * It does not use the library's promises and `query_timeout`: they attach a closure to each query, which keeps the rows
 * alive until the next full garbage collection. That took a tenth of the time of a reader of many rows.
 */
export class PreparedClient extends pg.Client {
  readonly #answerTimeoutMs: number | undefined;
  /** Statements that were prepared for a table that has changed since. */
  readonly #outdated = new Set<string>();
  #inFlight = 0;
  #isLate = false;
  /** One for all statements, because Postgres answers them in turn: one for each took 3 % of a short read. */
  #timer: NodeJS.Timeout | undefined;

  constructor(config?: PreparedClientConfig) {
    super(config);
    this.#answerTimeoutMs = config?.answerTimeoutMs;
  }

  /** A query that comes as an object goes to the library as it is, without a time limit. */
  // biome-ignore lint/suspicious/noExplicitAny: the library's method has nine signatures; all but two pass through.
  override query(statement: any, values?: any, callback?: any): any {
    if (typeof statement !== "string" || typeof values === "function") return super.query(statement, values, callback);
    if (callback !== undefined) return this.#send(statement, values, undefined, callback);
    const name = values?.length > 0 ? nameOf(statement) : undefined;
    const isNamed = name !== undefined && !this.#outdated.has(name);
    return this.#ask(statement, values, isNamed ? name : undefined).catch((error: pg.DatabaseError) => {
      // Otherwise the stack would lead to the socket, not to the caller.
      Error.captureStackTrace(error);
      // "cached plan must not change result type": a newer node has migrated the database.
      if (error.code !== "0A000" || !isNamed) throw error;
      this.#outdated.add(name);
      return this.#ask(statement, values, undefined);
    });
  }

  #ask(text: string, values: unknown[] | undefined, name: string | undefined): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    this.#send(text, values, name, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    return promise;
  }

  #send(text: string, values: unknown[] | undefined, name: string | undefined, callback: Callback): void {
    if (this.#inFlight === 0) this.#awaitAnswer();
    this.#inFlight += 1;
    const query = new pg.Query(text, values, (error, result) => {
      this.#inFlight -= 1;
      if (this.#inFlight > 0) this.#awaitAnswer();
      callback(this.#isLate ? new Error(noAnswer) : error, result);
    });
    // Given to the constructor as an object, the library would first copy that, property by property.
    super.query(Object.assign(query, { name }));
  }

  #awaitAnswer(): void {
    if (this.#timer !== undefined) this.#timer.refresh();
    else if (this.#answerTimeoutMs !== undefined)
      // The socket keeps the process alive for as long as a statement waits.
      this.#timer = setTimeout(() => this.#cutIfWaiting(), this.#answerTimeoutMs).unref();
  }

  #cutIfWaiting(): void {
    if (this.#inFlight === 0) return;
    this.#isLate = true;
    this.#cut();
  }

  /** Closes the connection at once: the statements behind the late one would each wait as long again. */
  #cut(): void {
    void this.end().catch(() => undefined);
    // end() alone waits for all answers, and a frozen database sends none.
    // The assertion: the library's types do not declare its connection.
    (this as unknown as WithSocket).connection.stream.destroy();
  }
}

/** The part of the library's client that its types leave out. */
interface WithSocket {
  readonly connection: { readonly stream: { destroy(): void } };
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxStatements || text.includes(planMark)) return known;
  const name = `slipway_${names.size}`;
  names.set(text, name);
  return name;
}
