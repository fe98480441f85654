import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import type { ServiceModel } from "./model.ts";
import { authorKey, isMap } from "./read-data-model.ts";
import { type ExpectedRequest, expects, isSuccess } from "./read-requests.ts";

export interface Access {
  readonly auth: ServiceModel["auth"];
  readonly protects: readonly string[];
  readonly unmet: readonly Unmet[];
}

/** Reads which requests need a token, and which token: from `auth`, and from requests that expect a 401 without one. */
export function readAccess(document: CompleteSpec, requests: readonly ExpectedRequest[]): Access {
  const unmet: Unmet[] = [];
  const written = authorKey(document, "auth");
  const auth = isMap(written) ? written : {};
  const { scheme, token_variable: variable, header, protects } = auth;
  if (scheme !== undefined && !["bearer", "token", "api_key", "none"].includes(String(scheme).toLowerCase()))
    unmet.push({
      pointer: "/auth/scheme",
      reason: `'${String(scheme)}' is not built: tokens are sent as 'Authorization: Bearer'.`,
    });
  const named = [protects ?? []]
    .flat()
    .filter((rule) => typeof rule === "string" && /^(?:([A-Z]+|\*)\s+)?\/|^\*$/.test(rule)) as string[];
  const asked = requests.filter((request) => request.isAuthRequired || (expects(request, 401) && !isSuccess(request)));
  const rules = [...named, ...asked.map(({ method, shape }) => `${method} ${shape.key}`)];
  const isHeader = typeof header === "string" && /^[\w-]+$/.test(header);
  return {
    auth: {
      token_variable: typeof variable === "string" && /^[A-Za-z_]\w*$/.test(variable) ? variable : "API_TOKEN",
      ...(isHeader && { header }),
    },
    protects: [...new Set(rules)],
    unmet: [...unmet, ...contradictions(requests)],
  };
}

/** The same request cannot be open to all and refused without a token. */
function contradictions(requests: readonly ExpectedRequest[]): readonly Unmet[] {
  const lines = requests.filter(({ step }) => step === undefined);
  return lines
    .filter((line) => !line.isAuthRequired && isSuccess(line) && !("authorization" in lowerCased(line.headers)))
    .filter((line) =>
      lines.some((other) => other.isAuthRequired && other.method === line.method && other.shape.key === line.shape.key),
    )
    .map(({ pointer }) => ({ pointer, reason: "Another line asks that the same request is refused without a token." }));
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
