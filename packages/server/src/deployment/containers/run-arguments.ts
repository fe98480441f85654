import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import {
  type HeldAccount,
  type ProcessOptions,
  type ResourceLimits,
  threadsPerProcess,
} from "../../platform/sandbox/index.ts";
import { type ContainerPlan, dataInside } from "./container-plan.ts";
import type { ContainerEngine } from "./find-engine.ts";

interface ToRun {
  readonly engine: ContainerEngine;
  readonly plan: ContainerPlan;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly account: Pick<HeldAccount, "uid" | "gid">;
  readonly dataFolder: string;
}

/** The arguments that run a container: nothing but its command comes from a project, and that is one argument. */
export function runArguments(
  { engine, plan, name, labels, account, dataFolder }: ToRun,
  { command, limits, network }: Pick<ProcessOptions, "command" | "limits" | "network">,
  environmentFile: string,
): string[] {
  const { uid, gid } = engine.isRootless ? { uid: 0, gid: 0 } : account;
  const argv = typeof command === "string" ? ["-c", command] : command.slice(1);
  const program = typeof command === "string" ? "/bin/sh" : command[0]!;
  return [
    ...["run", "--name", name, ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`])],
    // As in the sandbox: a program that serves listens where the proxy and other services reach it, a script reaches nobody.
    ...["--network", network === "all" ? "host" : "none"],
    ...["--user", `${uid}:${gid}`, "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
    ...["--tmpfs", "/tmp:rw,nosuid,nodev,mode=1777"],
    ...["--mount", `type=bind,source=${dataFolder},target=${dataInside}`],
    ...limitArguments(engine, limits),
    ...["--env-file", environmentFile],
    // What it prints goes to the project's log, and nowhere else.
    ...["--log-driver", "none", "--sig-proxy=false", "--pull", "never"],
    // The image has no say: who is well is asked by the service, and its volumes would be a disk without a limit.
    ...["--no-healthcheck", ...(engine.kind === "podman" ? ["--image-volume", "tmpfs"] : [])],
    ...(engine.hasInit ? ["--init"] : []),
    ...(plan.workingFolder === undefined ? [] : ["--workdir", plan.workingFolder]),
    ...(plan.startsItself ? [plan.image] : ["--entrypoint", program, plan.image, ...argv]),
  ];
}

function limitArguments({ limitsCpus }: ContainerEngine, limits: ResourceLimits): string[] {
  const { memoryBytes, cpuCores, processes } = limits;
  const cpus = Math.min(cpuCores, availableParallelism());
  return [
    // Swap counts too: the two numbers are the same.
    ...["--memory", String(memoryBytes), "--memory-swap", String(memoryBytes)],
    ...["--pids-limit", String(Math.max(64, processes * threadsPerProcess))],
    ...(limitsCpus ? ["--cpus", String(cpus)] : []),
    ...userLimits(maxUserProcesses),
  ];
}

const maxOpenFiles = 65_536;
/** Of a user in all its containers; below what engines themselves may have on machines with few process ids. */
const maxUserProcesses = 30_000;
const cpuPeriodUs = 100_000;

/** What a build of an image may use, as far as an engine's builder can limit it; docker's knows of users' limits only. */
export function buildLimitArguments({ kind, limitsCpus }: ContainerEngine, limits: ResourceLimits): string[] {
  const { memoryBytes, cpuCores, processes } = limits;
  const ofUser = userLimits(Math.min(maxUserProcesses, Math.max(64, processes * threadsPerProcess)));
  if (kind === "docker") return ofUser;
  const cpus = Math.min(cpuCores, availableParallelism());
  return [
    ...["--memory", String(memoryBytes), "--memory-swap", String(memoryBytes), ...ofUser],
    ...(limitsCpus ? ["--cpu-period", String(cpuPeriodUs), "--cpu-quota", String(Math.round(cpus * cpuPeriodUs))] : []),
  ];
}

/** Engines ask for more than the kernel gives us on some machines, and then start nothing. */
function userLimits(maxProcesses: number): string[] {
  const text = readFileSync("/proc/self/limits", "utf8");
  const upTo = (max: number, name: string) => {
    const hard = Number(new RegExp(`^${name} +\\S+ +(\\d+)`, "m").exec(text)?.[1] ?? max);
    return `${Math.min(max, hard)}:${Math.min(max, hard)}`;
  };
  const files = upTo(maxOpenFiles, "Max open files");
  const processes = upTo(maxProcesses, "Max processes");
  return ["--ulimit", `nofile=${files}`, "--ulimit", `nproc=${processes}`, "--ulimit", "core=0:0"];
}
