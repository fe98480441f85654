import type { Database } from "../../platform/database/index.ts";
import { type Handlers, pageOf, pageRequest } from "../../platform/http/index.ts";
import { selectAudit } from "./store.ts";

export function auditRoutes({ db }: { db: Database }): Pick<Handlers, "listAudit"> {
  return {
    listAudit: async ({ query }) => {
      const page = pageRequest(query, /^[0-9a-z]{20}$/);
      const { items, nextCursor } = pageOf(await selectAudit(db, page), page, ({ id }) => id);
      const entries = items.map(({ id: _, at, ...entry }) => ({ at: at.toISOString(), ...entry }));
      return { status: 200, body: { entries, next_cursor: nextCursor } };
    },
  };
}
