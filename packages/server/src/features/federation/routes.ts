import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, Transact } from "../../platform/http/index.ts";
import { admitToken, makeKey } from "./exchange-token.ts";

type AdmitDeps = Parameters<typeof admitToken>[0];

interface Deps extends AdmitDeps {
  readonly transact: Transact;
  /** Called after the rights of an account may have changed. */
  readonly onRevoked: () => void;
  /** Called with the address that sent a token that does not work; throws when it did so too often. */
  readonly onBadToken: (address: string) => void;
}

/** Exchanges ID tokens of CI jobs for short-lived keys. */
export function federationRoutes(deps: Deps): Pick<Handlers, "exchangeIdToken"> {
  return {
    exchangeIdToken: async (call) => {
      const refusal = new Refusal(
        "unauthenticated",
        "The ID token is not valid here, has expired or was used already.",
        {
          headers: { "www-authenticate": 'Bearer realm="slipway", error="invalid_token"' },
        },
      );
      const refuse = (): never => {
        deps.onBadToken(call.request.ip);
        throw refusal;
      };
      const admitted = await admitToken(deps, call.body.id_token, call.request);
      if (admitted === undefined) return refuse();
      try {
        const answer = await deps.transact(call, async (trx) => {
          const key = await makeKey(trx, deps, admitted, call.request);
          if (key === undefined) throw refusal;
          return { status: 201, body: { ...key, rule: admitted.rule.name } };
        });
        deps.onRevoked();
        return answer;
      } catch (error) {
        if (error !== refusal) throw error;
        return refuse();
      }
    },
  };
}
