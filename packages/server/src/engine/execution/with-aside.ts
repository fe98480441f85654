import type { PlannedTask } from "@slipway/spec";

/** Tells who judges a result where they find what the result has in the place of their answer. */
export function withAside(task: PlannedTask, path: string, aside: string): PlannedTask {
  const told = `The result has a '${path}' of its own. It is at '${aside}' for you: part of what you judge, and nobody's answer.`;
  return { ...task, description: [task.description, told].filter((text) => text !== undefined).join("\n") };
}
