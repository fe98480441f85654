import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Answer, Handlers, Transact } from "../../platform/http/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { beginDeviceLogin, noSuchDevice, pollDeviceLogin, readUserCode } from "./device-login.ts";
import { decideDevice, findWaiting } from "./device-store.ts";
import { requireLive } from "./end-access.ts";
import { sourceOf } from "./source-of.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly transact: Transact;
  readonly publicUrl: string;
  /** Called with the address that begins something without a token; throws when it did so too often. */
  readonly onBegun: (address: string) => void;
  /** Called with the address that sent a code that does not work; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

type DeviceHandlers = Pick<
  Handlers,
  "beginDeviceLogin" | "exchangeDeviceCode" | "readDeviceLogin" | "decideDeviceLogin"
>;

/** Lets command lines in, by somebody's browser. */
export function deviceRoutes(deps: Deps): DeviceHandlers {
  const { db, clock, transact } = deps;
  return {
    beginDeviceLogin: async (call) => {
      deps.onBegun(call.request.ip);
      const { device, address } = sourceOf(call.request);
      const from = { device: call.body.device ?? device ?? "", address: address ?? "" };
      return transact(call, async (trx) => ({ status: 201, body: await beginDeviceLogin(trx, deps, from) }));
    },

    exchangeDeviceCode: (call) => exchange(deps, call),

    readDeviceLogin: async ({ params, request }) => {
      const row = await findWaiting(db, codeOf(deps, params.user_code, request.ip), clock.now());
      if (row === undefined) {
        deps.onBadToken(request.ip);
        throw noSuchDevice();
      }
      const { user_code, device, address, created_at, expires_at } = row;
      const times = { created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
      return { status: 200, body: { user_code, device, address, ...times } };
    },

    decideDeviceLogin: async (call) => {
      const { userId } = call.principal;
      const { decision } = call.body;
      const userCode = codeOf(deps, call.params.user_code, call.request.ip);
      return transact(call, async (trx) => {
        await requireLive(trx, call.principal);
        const row = await findWaiting(trx, userCode, clock.now());
        if (row === undefined || !(await decideDevice(trx, { userCode, userId, decision, now: clock.now() }))) {
          deps.onBadToken(call.request.ip);
          throw noSuchDevice();
        }
        const detail = { decision, device: row.device, device_address: row.address };
        await recordChange(trx, clock, call, { action: "device.decide", target: userId, detail });
        return { status: 204 };
      });
    },
  };
}

function codeOf({ onBadToken }: Deps, typed: string, address: string): string {
  try {
    return readUserCode(typed);
  } catch (error) {
    onBadToken(address);
    throw error;
  }
}

type ExchangeCall = Parameters<Handlers["exchangeDeviceCode"]>[0];

async function exchange(deps: Deps, call: ExchangeCall): Promise<Answer> {
  // A transaction of its own, committed also when the device must go on waiting: when it asked is stored.
  const polled = await deps.db.transaction().execute(async (trx) => {
    const found = await pollDeviceLogin(trx, deps, call.body.device_code);
    if (found.kind === "issued") {
      const actor = { request: call.request, principal: found.owner };
      await recordChange(trx, deps.clock, actor, { action: "session.create", target: found.owner.userId });
    }
    return found;
  });
  switch (polled.kind) {
    case "issued":
      return { status: 200, body: polled.tokens };
    case "waiting":
      throw new Refusal("authorization_pending", "Nobody has let this device in yet. Ask again in some seconds.");
    case "too_soon":
      throw new Refusal("slow_down", "Wait five seconds longer between two questions.");
    case "denied":
      throw new Refusal("access_denied", "Somebody refused to let this device in, or may do nothing here any more.");
    case "expired":
      throw new Refusal("expired_token", "Nobody let this device in within ten minutes. Begin again.");
    case "invalid":
      deps.onBadToken(call.request.ip);
      throw new Refusal("expired_token", "The device's code is not valid, or was used already. Begin again.");
  }
}
