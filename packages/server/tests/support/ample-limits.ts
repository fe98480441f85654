import type { ResourceLimits } from "../../src/platform/sandbox/index.ts";

/** More than any program of a test uses, for tests that are about something else. */
export const ampleLimits: ResourceLimits = {
  memoryBytes: 4 * 2 ** 30,
  cpuCores: 1024,
  processes: 1_000,
  diskBytes: 4 * 2 ** 30,
};
