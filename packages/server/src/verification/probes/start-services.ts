import { type CompleteSpec, type Readiness, readinessOf } from "@slipway/spec";
import { freePort, type Sandbox } from "../../platform/sandbox/index.ts";
import { whyNotOwn } from "../scripts/own-file.ts";
import { runScript, type ScriptToRun } from "../scripts/run-scripts.ts";
import type { FoundService } from "./find-services.ts";
import { makeToken, type Software, startSoftware, userOf } from "./start-software.ts";

/** The services of a result, started to be probed. */
export interface Services {
  /** By name: the started program, or why it is not ready. */
  readonly started: ReadonlyMap<string, Software | { readonly failure: string }>;
  /** `<NAME>_URL` of each. */
  readonly env: Readonly<Record<string, string>>;
  /** All of them ask for the same one: they speak with each other. */
  readonly token: string;
  readonly log: string;
  stop(): Promise<void>;
}

interface ToStart extends ScriptToRun {
  /** Whether the result has a program that starts as a whole, and may start services of its own on their ports. */
  readonly hasWhole: boolean;
  readonly isBuilt: boolean;
}

/**
 * Ports that are given out: between the look whether a port is free and the start of a program, another project's check must
 * not take it, for its program would answer in place of this one's.
 */
const taken = new Set<number>();

/** Starts services, each after those that it depends on, and waits until each is ready. */
export async function startServices(
  sandbox: Pick<Sandbox, "startCommand" | "runCommand">,
  services: readonly FoundService[],
  toStart: ToStart,
): Promise<Services> {
  const ports = new Map<string, number>();
  const started = new Map<string, Software | { readonly failure: string }>();
  const token = makeToken();
  let log = "";
  const stop = async () => {
    await Promise.all([...started.values()].map((one) => ("stop" in one ? one.stop() : undefined)));
    for (const port of ports.values()) taken.delete(port);
  };
  try {
    for (const { name, port } of services) ports.set(name, await takePort(toStart.hasWhole ? undefined : port));
    const urls = [...ports].map(([name, port]) => [variableOf(name), `http://127.0.0.1:${port}`] as const);
    const env = Object.fromEntries(urls);
    for (const service of services) {
      const { name } = service;
      const one = await startOne(sandbox, service, { ...toStart, env, token, port: ports.get(name)!, started });
      started.set(name, one);
      log += `$ ${service.start} (${service.path})\n${"failure" in one ? `${one.failure}\n` : ""}`;
    }
    return { started, env, token, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface OneToStart extends ToStart {
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly started: ReadonlyMap<string, Software | { readonly failure: string }>;
}

async function startOne(
  sandbox: Pick<Sandbox, "startCommand" | "runCommand">,
  { name, path, start: command, build, dependencies }: FoundService,
  { started, ...toStart }: OneToStart,
): Promise<Software | { readonly failure: string }> {
  const label = `The service '${name}'`;
  const missing = dependencies.find((other) => "failure" in (started.get(other) ?? {}));
  if (missing !== undefined)
    return { failure: `${label} was not started: '${missing}', which it needs, is not ready.` };
  const { folder, signal } = toStart;
  const part = { ...toStart, startsIn: path, account: userOf(folder) };
  if (build !== undefined && !toStart.isBuilt) {
    const { error } = await runScript(sandbox, part, { name: "build", command: build });
    if (error !== undefined) return { failure: `${label} was not built: ${error.message}` };
  }
  const notOwn = await whyNotOwn({ name: "start", command, startsIn: path }, folder, signal);
  if (notOwn !== undefined) return { failure: `${label}: ${notOwn}` };
  return startSoftware(sandbox, { ...part, label, command, readiness: readinessOfService(toStart.document, name) });
}

/** As its own line of `service_health` says, else any answer of `/` will do. */
function readinessOfService(document: CompleteSpec, name: string): Readiness {
  const { withinSeconds, maxErrors } = readinessOf(document);
  const own = document.acceptance.service_health?.find(({ service }) => service === name);
  const request = own === undefined ? { path: "/" } : { path: own.endpoint, status: own.status };
  return { ...request, withinSeconds, maxErrors };
}

async function takePort(wanted: number | undefined): Promise<number> {
  for (;;) {
    const port = await freePort(wanted !== undefined && !taken.has(wanted) ? wanted : undefined);
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
}

/** `order-store` → `ORDER_STORE_URL` */
function variableOf(name: string): string {
  return `${name.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase()}_URL`;
}
