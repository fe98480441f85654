import { type CompleteSpec, type ReadBreakdown, readTaskBreakdown } from "@slipway/spec";
import { askOnce, type ThreadBounds } from "../../platform/bounded-thread.ts";
import { isSimpleYaml } from "../../platform/is-simple-yaml.ts";

/** What the thread gets. */
export interface BreakdownToRead {
  readonly source: string | Uint8Array;
  readonly document: CompleteSpec;
}

const entry = new URL("./breakdown-thread.ts", import.meta.url);
/** As for documents: reading a smaller one takes less than handing it to a thread. */
const maxInlineLength = 32 * 1024;
const defaults: ThreadBounds = { cpuLimitMs: 20_000, heapMb: 768 };

/** Reads a `tasks.yaml` of any size without holding the service up. One that takes too much has an error that says so. */
export async function readBreakdown(
  { source, document }: BreakdownToRead,
  signal: AbortSignal,
  bounds: Partial<ThreadBounds> = {},
): Promise<ReadBreakdown> {
  if (source.length <= maxInlineLength && isSimpleYaml(source)) return readTaskBreakdown(source, document);
  const toRead = { source, document };
  const told = await askOnce<BreakdownToRead, ReadBreakdown>(entry, { ...defaults, ...bounds }, toRead, signal);
  if ("answer" in told) return told.answer;
  const place = { pointer: "", line: 1, column: 1, endLine: 1, endColumn: 1 };
  const suggestion = "Leave out comments and blank lines, and shorten the descriptions.";
  return {
    diagnostics: [{ severity: "error", code: "too_large", message: `The plan ${told.error}.`, suggestion, ...place }],
  };
}
