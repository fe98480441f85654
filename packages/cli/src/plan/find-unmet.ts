import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { serviceEntry } from "../start-service.ts";

export interface Unmet {
  readonly pointer: string;
  readonly reason: string;
}

/**
 * The requests of a document that the built-in agent does not support, by the service's own program. Undefined if only a
 * running service can tell.
 */
export async function findUnmet(
  document: Uint8Array,
  environment: string | undefined,
): Promise<readonly Unmet[] | undefined> {
  const args = environment === undefined ? [] : [environment];
  const child = spawn(process.execPath, [serviceEntry(), "unmet", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  // It may exit before it has read everything; then its exit code reports the failure.
  child.stdin.on("error", () => undefined).end(document);
  const output = await text(child.stdout);
  if ((await ended) !== 0) throw new Error("The service's program failed to list the unsupported requests.");
  return (JSON.parse(output) as Unmet[] | null) ?? undefined;
}
