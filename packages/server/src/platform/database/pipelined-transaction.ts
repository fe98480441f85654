import { CompiledQuery, type Kysely, type KyselyProps, Transaction } from "kysely";

/** What a transaction comes to, and the answers that it has not waited for. */
export interface Sent<T> {
  readonly value: T;
  readonly answers: readonly Promise<unknown>[];
}

/**
 * A transaction that need not wait for an answer before it sends its next statement: begin and commit cost no way to the
 * database of their own, and what is written in the end goes there in one. Statements are carried out in the order in which
 * they were begun. If one fails, nothing of the transaction holds.
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
    // Whatever follows fails as well, and says so.
    beginning.catch(() => undefined);
    try {
      const { value, answers } = await work(trx);
      // After a failed statement this rolls back, and the statement's own answer says why.
      await Promise.all([beginning, ...answers, connection.executeQuery(CompiledQuery.raw("commit"))]);
      return value;
    } catch (error) {
      await connection.executeQuery(CompiledQuery.raw("rollback")).catch(() => undefined);
      throw error;
    }
  });
}

/** With these a database begins transactions; a transaction itself asks for nothing but its executor. */
const unused = { config: {}, driver: {}, dialect: {} } as Omit<KyselyProps, "executor">;

/** Statements that are under way. None of them goes unheard if the transaction fails before it waits for them. */
export class Answers {
  readonly all: Promise<unknown>[] = [];

  add(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
    this.all.push(answer);
  }
}
