import type { CompleteSpec } from "@slipway/spec";

/** The request by which started software shows that it is ready. */
export interface Readiness {
  readonly path: string;
  /** Undefined: any answer that is no server error. */
  readonly status?: number;
}

/** As `deployment.health_checks` says, else `acceptance.service_health`; without either, any answer of `/` will do. */
export function readinessOf({ deployment, acceptance }: CompleteSpec): Readiness {
  const checks = deployment?.health_checks;
  const [declared] = (Array.isArray(checks) ? checks : typeof checks === "object" ? [checks] : []).filter(
    ({ service }) => service === undefined,
  );
  if (declared !== undefined) return { path: declared.path, status: declared.status };
  const health = acceptance.service_health?.find(({ service }) => service === undefined);
  return health === undefined ? { path: "/" } : { path: health.endpoint, status: health.status };
}
