import type { Database, Transaction } from "../database/index.ts";
import type { Answer, Call } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";

type Work<Db> = (db: Db) => Promise<Answer>;

/** Makes a change in one transaction, together with the answer stored for repeated requests. */
export interface Transact {
  (call: Pick<Call, "request">, work: Work<Transaction>): Promise<Answer>;
  /** The same for work that is one statement, which needs no transaction unless an answer is stored too. */
  oneStatement(call: Pick<Call, "request">, work: Work<Database | Transaction>): Promise<Answer>;
}

export function createTransact(db: Database, idempotency: Idempotency): Transact {
  const transact = (call: Pick<Call, "request">, work: Work<Transaction>) =>
    db.transaction().execute(async (trx) => {
      const answer = await work(trx);
      await idempotency.settle(trx, call, answer);
      return answer;
    });
  const oneStatement: Transact["oneStatement"] = (call, work) =>
    idempotency.storesAnswerOf(call) ? transact(call, work) : work(db);
  return Object.assign(transact, { oneStatement });
}
