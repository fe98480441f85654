import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { serviceEntry } from "../start-service.ts";

export interface Unmet {
  readonly pointer: string;
  readonly reason: string;
}

/** What of a document the built-in agent could not honour, as the service's own code knows it; nothing if only a running one does. */
export async function findUnmet(
  document: Uint8Array,
  environment: string | undefined,
): Promise<readonly Unmet[] | undefined> {
  const args = environment === undefined ? [] : [environment];
  const child = spawn(process.execPath, [serviceEntry(), "unmet", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  // It may end before it has read everything: then its exit code tells.
  child.stdin.on("error", () => undefined).end(document);
  const said = await text(child.stdout);
  if ((await ended) !== 0) throw new Error("The service's code could not say what would not be built.");
  return (JSON.parse(said) as Unmet[] | null) ?? undefined;
}
