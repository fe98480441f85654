import type { CompleteSpec } from "@slipway/spec";
import type { ResourceLimits } from "./process-options.ts";

/** What no agent, build, test or service of a project needs more of. */
const maxProcesses = 512;
const maxDiskBytes = 4 * 2 ** 30;

/** What a program of a project may use, whoever starts it: as the document says. */
export function documentLimits({ resources }: Pick<CompleteSpec, "resources">): ResourceLimits {
  return {
    memoryBytes: Math.round(resources.memory_gb * 2 ** 30),
    cpuCores: resources.cpu_cores,
    processes: maxProcesses,
    diskBytes: maxDiskBytes,
  };
}
