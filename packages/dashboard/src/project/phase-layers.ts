import type { Phase } from "@slipway/contract";

/** Phases in layers: each stands one layer behind the last of those it waits for. */
export function layersOf(phases: readonly Phase[]): Phase[][] {
  const depths = new Map<string, number>();
  const layers: Phase[][] = [];
  // The service lists phases in an order in which they can run.
  for (const phase of phases) {
    const depth = Math.max(-1, ...phase.depends_on.map((name) => depths.get(name) ?? -1)) + 1;
    depths.set(phase.name, depth);
    layers[depth] ??= [];
    layers[depth].push(phase);
  }
  return layers;
}
