import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Obstacle, UnmetRequest } from "@slipway/contract";
import { findLineNumbers } from "@slipway/spec";
import type { Terminal } from "../output/terminal.ts";
import { serviceEntry } from "../start-service.ts";

/** What is known of a document without a service. */
export interface Foreseen {
  /** What the built-in agent does not use or cannot build; undefined if only a running service can tell. */
  readonly unmet: readonly UnmetRequest[] | undefined;
  /** The name of the agent in the config file that would finish it; null if none would. */
  readonly finisher: string | null;
  /** Roles that nobody fills, what this machine lacks, and lines that nobody can check. */
  readonly preflight: readonly Obstacle[];
}

interface Answer {
  readonly unmet: readonly Omit<UnmetRequest, "line">[] | null;
  readonly finisher: string | null;
  readonly preflight: readonly Omit<Obstacle, "line">[];
}

/** Asks the service's own program, which has the blueprints, what will not be met or stands in the way. */
export async function findUnmet(
  { env }: Pick<Terminal, "env">,
  document: Uint8Array,
  environment: string | undefined,
): Promise<Foreseen> {
  const args = environment === undefined ? [] : [environment];
  const child = spawn(process.execPath, [serviceEntry(), "unmet", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  // It may exit before it has read everything; then its exit code reports the failure.
  child.stdin.on("error", () => undefined).end(document);
  const output = await text(child.stdout);
  if ((await ended) !== 0) throw new Error("The service's program failed to list the unsupported requests.");
  const { unmet, finisher, preflight } = JSON.parse(output) as Answer;
  const pointers = [...(unmet ?? []), ...preflight].flatMap(({ pointer }) => pointer ?? []);
  const lines = findLineNumbers(document, pointers, environment);
  const lineOf = (pointer: string | null) => lines.get(pointer ?? "") ?? null;
  return {
    finisher,
    unmet: unmet?.map((one) => ({ ...one, line: lineOf(one.pointer) })),
    preflight: preflight.map((one) => ({ ...one, line: lineOf(one.pointer) })),
  };
}
