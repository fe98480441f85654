import type { UnmetRequest } from "@slipway/contract";
import { printable } from "../output/printable.ts";

/** A request that no rule builds, and who finishes it. */
export interface HandedOn extends UnmetRequest {
  readonly task: string;
  /** The agent's name. */
  readonly agent: string;
}

/** What other agents finish, a line each. */
export function handedOnLines(handedOn: readonly HandedOn[]): string[] {
  return handedOn.map(({ pointer, line, task, agent }) => {
    const place = line === null ? "" : `line ${line}: `;
    return `- ${place}${printable(pointer)} → ${printable(agent)} (${printable(task)})`;
  });
}
