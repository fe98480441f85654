import { CompiledQuery, type Kysely, type KyselyProps, Transaction } from "kysely";

/** The result of a transaction, and the statements whose answers it has not awaited. */
export interface Sent<T> {
  readonly value: T;
  readonly answers: readonly Promise<unknown>[];
}

/**
 * Runs a transaction that need not await an answer before it sends its next statement: `begin` and `commit` cost no round
 * trip of their own, and the last writes share one. Postgres runs the statements in the order in which they were sent. If
 * one fails, all are rolled back.
 */
export function pipelinedTransaction<Schema, T>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>) => Promise<Sent<T>>,
): Promise<T> {
  const shared = db.getExecutor();
  return shared.provideConnection(async (connection) => {
    const executor = shared.withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
    const trx = new Transaction<Schema>({ ...unused, executor });
    const beginning = connection.executeQuery(CompiledQuery.raw("begin"));
    // If it fails, every statement after it fails too, and reports it.
    beginning.catch(() => undefined);
    try {
      const { value, answers } = await work(trx);
      // After a failed statement this rolls back; the rejected answer of that statement says why.
      await Promise.all([beginning, ...answers, connection.executeQuery(CompiledQuery.raw("commit"))]);
      return value;
    } catch (error) {
      await connection.executeQuery(CompiledQuery.raw("rollback")).catch(() => undefined);
      throw error;
    }
  });
}

/**
 * Kysely's constructor demands all four properties, but a transaction uses only its executor; the others serve to begin
 * transactions. The assertion stands for objects that are never read.
 */
const unused = { config: {}, driver: {}, dialect: {} } as Omit<KyselyProps, "executor">;

/** Statements in flight. None becomes an unhandled rejection if the transaction fails before it awaits them. */
export class Answers {
  readonly all: Promise<unknown>[] = [];

  add(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
    this.all.push(answer);
  }
}
