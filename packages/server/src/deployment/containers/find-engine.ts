import { existsSync } from "node:fs";
import { type EngineCommand, runEngine } from "./run-engine.ts";

/** A container engine that works here, and what it said that it can do. */
export interface ContainerEngine {
  readonly command: EngineCommand;
  readonly kind: "podman" | "docker";
  /** As it tells; empty if it does not. */
  readonly version: string;
  /** Root inside is the service's own user outside. */
  readonly isRootless: boolean;
  /** It brings a first process that passes on signals; without one, programs that ignore SIGTERM are killed. */
  readonly hasInit: boolean;
  readonly limitsCpus: boolean;
  /** Its folder of images and containers, as it tells. */
  readonly storage: string;
}

/** Why no container can be run here, with what to do about it. */
export interface NoEngine {
  readonly missing: string;
}

const timeoutMs = 20_000;
const remedy =
  "Install podman or docker for the user that runs the service, or name the program in the setting container_engine.";

/** Asks the operator's engine, else podman and docker, what it can do. */
export async function findEngine(wanted: EngineCommand | undefined): Promise<ContainerEngine | NoEngine> {
  const candidates: EngineCommand[] = wanted === undefined ? [["podman"], ["docker"]] : [wanted];
  const reasons: string[] = [];
  for (const command of candidates) {
    const found = await askEngine(command);
    if (!("missing" in found)) return found;
    reasons.push(found.missing);
  }
  return { missing: `No container engine works here: ${reasons.join(" ")} ${remedy}` };
}

/** Asks one engine what it can do. */
export async function askEngine(command: EngineCommand): Promise<ContainerEngine | NoEngine> {
  const answer = await runEngine(command, ["info", "--format", "{{json .}}"], { timeoutMs });
  if ("failure" in answer) return { missing: asSentence(answer.failure) };
  const info = parse(answer.output);
  if (info === undefined) return { missing: `'${command[0]}' does not describe itself as podman and docker do.` };
  // `docker` may be podman by another name: what it says of itself counts.
  return "host" in info ? podman(command, info) : docker(command, info);
}

function podman(command: EngineCommand, { host, store, version: told }: Info): ContainerEngine | NoEngine {
  const { security, cgroupControllers } = host as { security?: { rootless?: boolean }; cgroupControllers?: unknown };
  const controllers = Array.isArray(cgroupControllers) ? cgroupControllers : [];
  const lacking = ["memory", "pids"].filter((name) => !controllers.includes(name));
  if (lacking.length > 0) return unlimited(command, lacking);
  const isRootless = security?.rootless === true;
  const hasInit = podmanInits.some((path) => existsSync(path));
  const version = asText((told as { Version?: unknown } | undefined)?.Version);
  const limitsCpus = controllers.includes("cpu");
  const storage = asText((store as { graphRoot?: unknown } | undefined)?.graphRoot);
  return { command, kind: "podman", version, isRootless, hasInit, limitsCpus, storage };
}

/** Where podman looks for it; `podman info` does not say. */
const podmanInits = ["/usr/libexec", "/usr/local/libexec", "/usr/lib", "/usr/local/lib"].map(
  (folder) => `${folder}/podman/catatonit`,
);

function docker(command: EngineCommand, info: Info): ContainerEngine | NoEngine {
  // Without its daemon, the program describes itself and exits with 0 in some versions.
  const [error] = Array.isArray(info["ServerErrors"]) ? info["ServerErrors"] : [];
  if (typeof error === "string") return { missing: asSentence(error) };
  const lacking = [
    ...(info["MemoryLimit"] === false ? ["memory"] : []),
    ...(info["PidsLimit"] === false ? ["pids"] : []),
  ];
  if (lacking.length > 0) return unlimited(command, lacking);
  const options = Array.isArray(info["SecurityOptions"]) ? info["SecurityOptions"] : [];
  const isRootless = options.some((option) => String(option).includes("rootless"));
  const hasInit = typeof info["InitBinary"] === "string" && info["InitBinary"] !== "";
  const version = asText(info["ServerVersion"]);
  const limitsCpus = info["CpuCfsQuota"] !== false;
  const storage = asText(info["DockerRootDir"]);
  return { command, kind: "docker", version, isRootless, hasInit, limitsCpus, storage };
}

/** Nothing that is deployed runs without limits. */
function unlimited([program]: EngineCommand, lacking: readonly string[]): NoEngine {
  return {
    missing: `'${program}' cannot limit ${lacking.join(" and ")} here: give its user these cgroup controllers (systemd: Delegate=yes).`,
  };
}

type Info = Readonly<Record<string, unknown>>;

function parse(output: string): Info | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === "object" && value !== null ? (value as Info) : undefined;
  } catch {
    return undefined;
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function asSentence(text: string): string {
  return /[.!]$/.test(text) ? text : `${text}.`;
}
