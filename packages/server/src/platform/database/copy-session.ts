import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from, to } from "pg-copy-streams";
import { clientConfig, type DatabaseTarget } from "./client-config.ts";

/** A connection of its own, without time limits, that moves whole tables out of the database and into it. */
export class CopySession {
  readonly #client: pg.Client;
  #isCopying = false;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(target: DatabaseTarget): Promise<CopySession> {
    const client = new pg.Client(clientConfig(target));
    // A connection that is lost fails the statement that runs; without a listener it would end the process, too.
    client.on("error", () => undefined);
    await client.connect();
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0");
    return new CopySession(client);
  }

  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(text, values)).rows as Row[];
  }

  /** Streams the rows of a `copy … to stdout` to `use`; returns how many there were. */
  async copyOut(statement: string, use: (rows: AsyncIterable<Uint8Array>) => Promise<unknown>): Promise<number> {
    this.#isCopying = true;
    const rows = this.#client.query(to(statement));
    await use(rows);
    this.#isCopying = false;
    return rows.rowCount;
  }

  /** Feeds a `copy … from stdin`; returns how many rows there were. */
  async copyIn(statement: string, rows: NodeJS.ReadableStream): Promise<number> {
    this.#isCopying = true;
    const into = this.#client.query(from(statement));
    await pipeline(rows, into);
    this.#isCopying = false;
    return into.rowCount;
  }

  /** Ends the connection, and with it a transaction that is not committed. */
  async close(): Promise<void> {
    const ended = this.#client.end().catch(() => undefined);
    // A copy that was given up would go on: nobody reads what the database still sends, and it does not read our end.
    if (this.#isCopying) (this.#client as unknown as WithSocket).connection.stream.destroy();
    await ended;
  }
}

/** The part of the library's client that its types leave out. */
interface WithSocket {
  readonly connection: { readonly stream: { destroy(): void } };
}
