import type { Secret } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { type SecretPlace, sealValue } from "./sealed-value.ts";
import { deleteSecret, findSecret, type SecretRow, selectSecrets, upsertSecret } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "encrypt">;
  readonly transact: Transact;
}

const maxOfOwner = 1_000;

type SecretHandlers = Pick<Handlers, "setSecret" | "listSecrets" | "readSecret" | "removeSecret">;

/** Sets, lists and removes secrets of the provider `slipway`; no answer ever holds a value. */
export function secretRoutes({ db, clock, keyring, transact }: Deps): SecretHandlers {
  return {
    setSecret: (call) => {
      const place = placeOf(call, { isChange: true });
      const now = clock.now();
      return transact(call, async (trx) => {
        const id = sortableId(now.getTime());
        const value = sealValue(keyring, place, call.body.value);
        const row = await upsertSecret(trx, { ...place, id, value, by: call.principal.userId, now }, maxOfOwner);
        if (row === undefined)
          throw new Refusal("conflict", `There are ${maxOfOwner} secrets already; remove one that nothing needs.`);
        await recordChange(trx, clock, call, { action: "secret.set", target: place.name, detail: detailOf(place) });
        return { status: 200, body: showSecret(row) };
      });
    },

    listSecrets: async ({ query, principal }) => {
      const page = pageRequest(query, /^[0-9a-z]{20}$/);
      const { items, nextCursor } = pageOf(await selectSecrets(db, principal.userId, page), page, ({ id }) => id);
      return { status: 200, body: { secrets: items.map(showSecret), next_cursor: nextCursor } };
    },

    readSecret: async (call) => {
      const row = await findSecret(db, placeOf(call, { isChange: false }));
      if (row === undefined) throw noSuchSecret(call.params.name);
      return { status: 200, body: showSecret(row) };
    },

    removeSecret: (call) => {
      const place = placeOf(call, { isChange: true });
      return transact(call, async (trx) => {
        if (!(await deleteSecret(trx, place))) throw noSuchSecret(place.name);
        await recordChange(trx, clock, call, { action: "secret.remove", target: place.name, detail: detailOf(place) });
        return { status: 204 };
      });
    },
  };
}

interface SecretCall {
  readonly params: { readonly name: string };
  readonly query: { readonly shared?: boolean | undefined };
  readonly principal: Principal;
}

function placeOf({ params, query, principal }: SecretCall, { isChange }: { isChange: boolean }): SecretPlace {
  const { shared = false } = query;
  if (shared && isChange && principal.role !== "svc:admin")
    throw new Refusal("forbidden", "Only administrators may change secrets that everybody's documents use.");
  return { ownerId: shared ? null : principal.userId, name: params.name };
}

function detailOf({ ownerId }: SecretPlace) {
  return { is_shared: ownerId === null };
}

function noSuchSecret(name: string): Refusal {
  return new Refusal("not_found", `There is no secret '${name}'.`);
}

function showSecret({ owner_id, name, updated_by, created_at, updated_at }: SecretRow): Secret {
  return {
    name,
    is_shared: owner_id === null,
    updated_by,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
