import type { CompleteSpec } from "./schema/document.ts";

/** The request by which started software shows that it is ready. */
export interface Readiness {
  readonly path: string;
  /** Undefined: any answer that is no server error. */
  readonly status?: number;
  readonly withinSeconds: number;
  /** How many server errors in a row mean that it will not get ready. */
  readonly maxErrors: number;
}

const defaultSeconds = 60;

/** As `deployment.health_checks` says, else `acceptance.service_health`; without either, any answer of `/` will do. */
export function readinessOf(document: CompleteSpec): Readiness {
  const withinSeconds = document.acceptance.health_check_timeout_seconds ?? defaultSeconds;
  return { ...requestOf(document), withinSeconds, maxErrors: document.guardrails.deployment.health_check_retries + 1 };
}

function requestOf({ deployment, acceptance }: CompleteSpec): Pick<Readiness, "path" | "status"> {
  const checks = deployment?.health_checks;
  const [declared] = (Array.isArray(checks) ? checks : typeof checks === "object" ? [checks] : []).filter(
    ({ service }) => service === undefined,
  );
  if (declared !== undefined) return { path: declared.path, status: declared.status };
  const health = acceptance.service_health?.find(({ service }) => service === undefined);
  return health === undefined ? { path: "/" } : { path: health.endpoint, status: health.status };
}
