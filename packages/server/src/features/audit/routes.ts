import type { Database } from "../../platform/database/index.ts";
import { type Handlers, pageOf, pageRequest } from "../../platform/http/index.ts";
import { checkAudit } from "./check-audit.ts";
import { sealAudit } from "./seal-audit.ts";
import { selectAudit } from "./store.ts";

export function auditRoutes({ db }: { db: Database }): Pick<Handlers, "listAudit" | "checkAudit"> {
  return {
    listAudit: async ({ query }) => {
      const page = pageRequest(query, /^[0-9a-z]{20}$/);
      const { items, nextCursor } = pageOf(await selectAudit(db, page, query), page, ({ id }) => id);
      const entries = items.map(({ at, hash, ...entry }) => ({
        ...entry,
        at: at.toISOString(),
        hash: hash?.toString("hex") ?? null,
      }));
      return { status: 200, body: { entries, next_cursor: nextCursor } };
    },
    checkAudit: async ({ query: { after = 0, through = Number.MAX_SAFE_INTEGER } }) => {
      // What was written until now is checked, too.
      await sealAudit(db);
      return { status: 200, body: await checkAudit(db, { after, through }) };
    },
  };
}
