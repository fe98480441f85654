import type { Database, Transaction } from "../database/index.ts";
import type { Answer, Call } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";
import { lockResource } from "./store.ts";

type Work<Db> = (db: Db) => Promise<Answer>;

/** Makes a change in one transaction, together with the answer stored for repeated requests. */
export interface Transact {
  (call: Pick<Call, "request">, work: Work<Transaction>): Promise<Answer>;
  /** The same for work that is one statement, which needs no transaction unless an answer is stored too. */
  oneStatement(call: Pick<Call, "request">, work: Work<Database | Transaction>): Promise<Answer>;
}

export function createTransact(db: Database, idempotency: Idempotency): Transact {
  const inTransaction = (call: Pick<Call, "request">, work: Work<Transaction>) =>
    db.transaction().execute(async (trx) => {
      const { precondition } = call.request;
      if (precondition !== undefined) {
        // Another conditional change of the resource waits here, and then sees this one.
        await lockResource(trx, precondition.resource);
        await precondition.check();
      }
      const answer = await work(trx);
      await idempotency.settle(trx, call, answer);
      return answer;
    });
  let lastConditional: Promise<unknown> = Promise.resolve();
  const transact = (call: Pick<Call, "request">, work: Work<Transaction>) => {
    if (call.request.precondition === undefined) return inTransaction(call, work);
    // One at a time: each needs a second connection for its check, and many could starve each other of them.
    const answer = lastConditional.then(() => inTransaction(call, work));
    lastConditional = answer.catch(() => undefined);
    return answer;
  };
  const oneStatement: Transact["oneStatement"] = (call, work) =>
    idempotency.storesAnswerOf(call) || call.request.precondition !== undefined ? transact(call, work) : work(db);
  return Object.assign(transact, { oneStatement });
}
