import type { Database, Transaction } from "../database/index.ts";
import type { Answer, Call } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";

/** Carries a change out in one transaction, together with the answer that is kept for repeated requests. */
export type Transact = (call: Pick<Call, "request">, work: (trx: Transaction) => Promise<Answer>) => Promise<Answer>;

export function createTransact(db: Database, idempotency: Idempotency): Transact {
  return (call, work) =>
    db.transaction().execute(async (trx) => {
      const answer = await work(trx);
      await idempotency.settle(trx, call, answer);
      return answer;
    });
}
