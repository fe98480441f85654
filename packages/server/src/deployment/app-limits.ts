import type { CompleteSpec } from "@slipway/spec";
import { documentLimits, type ResourceLimits } from "../platform/sandbox/index.ts";

/** What deployed software may use: as its document says, but disk as the operator does, because its data stays. */
export function appLimits(document: Pick<CompleteSpec, "resources">, maxDiskBytes: number): ResourceLimits {
  return { ...documentLimits(document), diskBytes: maxDiskBytes };
}
