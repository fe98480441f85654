import { readProjectFile } from "../../platform/project-files/index.ts";
import type { SecretFinder } from "../../platform/secrets/index.ts";
import type { EvidenceBytes } from "../verdict.ts";
import type { FlowEnd } from "./inside/messages.ts";
import { contentsOf } from "./trace-secrets.ts";

const maxPictureBytes = 4 * 1024 * 1024;
const maxTraceBytes = 16 * 1024 * 1024;

interface Place {
  /** Where the browser left its files. */
  readonly folder: string;
  /** What the files are called from now on. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * The picture and the trace of a flow. Neither can be masked: what shows a secret is not kept. What the browser left is a
 * stranger's file, and no reason to fail.
 */
export async function flowEvidence(
  { picture, pageText, trace }: Pick<FlowEnd, "picture" | "pageText" | "trace">,
  { folder, name, signal }: Place,
  secrets: SecretFinder,
): Promise<readonly EvidenceBytes[]> {
  const type = "acceptance_report";
  const files: EvidenceBytes[] = [];
  const read = (path: string | undefined, maxBytes: number) =>
    path === undefined ? undefined : readProjectFile(folder, path, { maxBytes, signal }).catch(() => undefined);
  const shot = await read(picture, maxPictureBytes);
  const showsSecret = (await secrets.findIn([Buffer.from(pageText ?? "")])).size > 0;
  const isSearched = pageText !== undefined || secrets.isIdle;
  if (shot !== undefined && isSearched && !showsSecret)
    files.push({ type, path: `verification/flows/${name}.png`, mediaType: "image/png", bytes: shot });
  const zip = await read(trace, maxTraceBytes);
  if (zip !== undefined && !showsSecret && !(await hasSecret(zip, secrets)))
    files.push({ type, path: `verification/flows/${name}-trace.zip`, mediaType: "application/zip", bytes: zip });
  signal.throwIfAborted();
  return files;
}

async function hasSecret(zip: Buffer, secrets: SecretFinder): Promise<boolean> {
  if (secrets.isIdle) return false;
  try {
    for await (const content of contentsOf(zip)) if ((await secrets.findIn([content])).size > 0) return true;
    return false;
  } catch {
    return true;
  }
}
