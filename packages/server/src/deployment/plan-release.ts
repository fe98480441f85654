import { type CompleteSpec, type Readiness, readinessOf } from "@slipway/spec";
import { appLimits } from "./app-limits.ts";
import type { HealthCheck, ProgramPlan, ReleasePlan } from "./supervisor/index.ts";

/** A program of the result that is started apart. */
export interface ServiceToRun {
  readonly name: string;
  /** From the release's folder on. */
  readonly path: string;
  readonly start: string;
}

interface Planned {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly dataFolder: string;
  readonly replicas: number;
  /** How the result is started as a whole; left out: its services are, each after those it needs. */
  readonly start?: string;
  readonly services: readonly ServiceToRun[];
  readonly env: Readonly<Record<string, string>>;
  /** However long the document lets it take to get ready; its image, where it needs one, has as long. */
  readonly maxReadyMs: number;
  /** Of its files and its data. */
  readonly maxDiskBytes: number;
}

const defaultEverySeconds = 5;
const defaultWithinSeconds = 5;

/** How a release runs, as its document says. */
export function planRelease(planned: Planned): ReleasePlan {
  const { document, folder, dataFolder, replicas, start, services, env } = planned;
  const whole: ProgramPlan[] =
    start === undefined
      ? []
      : [{ name: "app", label: "scripts.start", command: start, folder, env, health: healthOf(planned, undefined) }];
  const apart = services.map(
    ({ name, path, start: command }): ProgramPlan => ({
      ...{ name, label: `The service '${name}'`, command, folder: `${folder}/${path}`, env },
      addressVariable: `${name.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase()}_URL`,
      health: healthOf(planned, name),
    }),
  );
  const programs = start === undefined ? apart : whole;
  const limits = appLimits(document, planned.maxDiskBytes);
  return { programs, replicas, folder, limits, imageWithinMs: planned.maxReadyMs, dataFolder };
}

/** As `deployment.health_checks` says of the program, else as it shows that it is ready. */
function healthOf({ document, maxReadyMs }: Planned, service: string | undefined): HealthCheck {
  const given = document.deployment?.health_checks;
  const checks = Array.isArray(given) ? given : typeof given === "object" ? [given] : [];
  const own = checks.find((check) => check.service === service);
  const { path, status, withinSeconds, maxErrors } =
    service === undefined ? readinessOf(document) : ofService(document, service, own);
  return {
    path,
    ...(status !== undefined && { status }),
    readyWithinMs: Math.min(withinSeconds * 1000, maxReadyMs),
    maxErrors,
    everyMs: (own?.interval_seconds ?? defaultEverySeconds) * 1000,
    withinMs: (own?.timeout_seconds ?? defaultWithinSeconds) * 1000,
  };
}

function ofService(
  document: CompleteSpec,
  name: string,
  declared: { readonly path: string; readonly status: number } | undefined,
): Readiness {
  const { withinSeconds, maxErrors } = readinessOf(document);
  const health = document.acceptance.service_health?.find(({ service }) => service === name);
  const request = declared ?? (health && { path: health.endpoint, status: health.status }) ?? { path: "/" };
  return { ...request, withinSeconds, maxErrors };
}
