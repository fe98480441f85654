import { createHash, scryptSync } from "node:crypto";
import type { CompleteSpec } from "@slipway/spec";
import { answerContaining } from "./answers.ts";
import type { LoginModel, SystemModel } from "./model.ts";
import { lastWord } from "./path-shape.ts";
import { type ExpectedRequest, exactStatus, expects, fieldsOf, isSuccess } from "./read-requests.ts";

interface System {
  readonly system: SystemModel;
  readonly isSystem: (request: ExpectedRequest) => boolean;
  readonly isLogin: (request: ExpectedRequest) => boolean;
}

/** Reads the system endpoints (health, OpenAPI, metrics, exports, logins), and which requests are for them. */
export function readSystem(document: CompleteSpec, requests: readonly ExpectedRequest[]): System {
  const health = pathsOf(requests, isHealth, ["/health", ...checkedPaths(document)]);
  const openapi = pathsOf(requests, isOpenApi, ["/openapi.json"]);
  const metrics = pathsOf(requests, isMetrics, [metricsPath(document)]);
  const exports = pathsOf(requests, isExport, []);
  const logins = loginsOf(requests);
  const served = new Set([...health, ...openapi, ...metrics, ...exports]);
  const isLogin = (request: ExpectedRequest) => logins.some(({ path }) => path === request.shape.key);
  const refusedLogin = requests.find(
    (request) => isLogin(request) && expects(request, 400, 422) && !isSuccess(request),
  );
  return {
    system: {
      health: health.map((path) => ({ path, answer: healthAnswer(requests, path) })),
      openapi,
      metrics,
      exports,
      logins,
      accounts: accountsOf(requests, logins),
      bad_login_status: (refusedLogin && exactStatus(refusedLogin)) ?? 422,
    },
    isLogin,
    isSystem: (request) => served.has(request.shape.key) || isLogin(request),
  };
}

function pathsOf(
  requests: readonly ExpectedRequest[],
  fits: (request: ExpectedRequest) => boolean,
  defaultPaths: readonly string[],
): readonly string[] {
  return [...new Set([...defaultPaths, ...requests.filter(fits).map(({ shape }) => shape.key)])].filter(
    (path) => !path.includes("{}"),
  );
}

function isHealth(request: ExpectedRequest): boolean {
  const word = lastWord(request.shape) ?? "";
  return (
    isRead(request) &&
    isSuccess(request) &&
    /^(health|healthz|health-?check|ready|readyz|readiness|live|livez|liveness|ping|up|status)$/i.test(word)
  );
}

function isOpenApi(request: ExpectedRequest): boolean {
  return isRead(request) && isSuccess(request) && /^(openapi|swagger)(\.json)?$/i.test(lastWord(request.shape) ?? "");
}

function isMetrics(request: ExpectedRequest): boolean {
  return isRead(request) && isSuccess(request) && lastWord(request.shape) === "metrics";
}

function isExport(request: ExpectedRequest): boolean {
  return isRead(request) && isSuccess(request) && /^export(\.json)?$/i.test(lastWord(request.shape) ?? "");
}

function isRead({ method }: ExpectedRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function checkedPaths({ deployment }: CompleteSpec): readonly string[] {
  const { health_checks: checks } = deployment as { health_checks?: unknown };
  const paths = [checks].flat().map((check) => (check as { path?: unknown } | null | undefined)?.path);
  return paths.filter((path) => typeof path === "string" && /^\/[\w/.-]*$/.test(path)) as string[];
}

function metricsPath({ deployment }: CompleteSpec): string {
  const { monitoring } = deployment as { monitoring?: { metrics_path?: unknown } };
  const path = monitoring?.metrics_path;
  return typeof path === "string" && /^\/[\w/.-]+$/.test(path) ? path : "/metrics";
}

function healthAnswer(requests: readonly ExpectedRequest[], path: string): Readonly<Record<string, unknown>> {
  const texts = requests.filter((request) => request.shape.key === path).flatMap(({ contains }) => contains);
  return answerContaining(texts, { status: "ok" });
}

const isPasswordName = (name: string) => /pass|secret|pin$/i.test(name);

function loginsOf(requests: readonly ExpectedRequest[]): readonly LoginModel[] {
  const found = requests.filter(
    ({ method, shape }) =>
      method === "POST" && /^(login|log-in|signin|sign-in|token|authenticate)$/i.test(lastWord(shape) ?? ""),
  );
  return [...Map.groupBy(found, ({ shape }) => shape.key)].map(([path, calls]) => {
    const names = calls.flatMap((call) => Object.keys(fieldsOf(call) ?? {}));
    const success = calls.find(isSuccess);
    return {
      path,
      user_field: names.find((name) => !isPasswordName(name)) ?? "username",
      password_field: names.find(isPasswordName) ?? "password",
      status: (success && exactStatus(success)) ?? 200,
    };
  });
}

/** Accounts that a login expects and nobody registers. Only hashes of their passwords are stored. */
function accountsOf(requests: readonly ExpectedRequest[], logins: readonly LoginModel[]): SystemModel["accounts"] {
  const accounts = new Map<string, { user: string; hash: string }>();
  for (const { path, user_field: userField, password_field: passwordField } of logins) {
    for (const request of requests.filter((call) => call.shape.key === path && isSuccess(call))) {
      const { [userField]: user, [passwordField]: password } = fieldsOf(request) ?? {};
      if (typeof user !== "string" || typeof password !== "string") continue;
      const isRegistered = requests.some(
        (other) => other.shape.key !== path && fieldsOf(other)?.[passwordField] === password,
      );
      if (!isRegistered) accounts.set(user, { user, hash: passwordHash(user, password) });
    }
  }
  return [...accounts.values()];
}

/** The salt is derived from the account, so that the same document gives the same hash. */
function passwordHash(user: string, password: string): string {
  const salt = createHash("sha256").update(`account:${user}`).digest().subarray(0, 16);
  return `scrypt:${salt.toString("hex")}:${scryptSync(password, salt, 32).toString("hex")}`;
}
