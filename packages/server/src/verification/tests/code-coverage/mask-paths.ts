import { takeTurns } from "../../../platform/in-turns.ts";
import type { Masker } from "../../../platform/secrets/index.ts";
import type { FileCoverage } from "./raw-coverage.ts";

/** A build may have named a source after a secret. There may be 200,000 of them: others have their turns. */
export async function withMaskedPaths(
  files: readonly FileCoverage[],
  masker: Masker,
  signal: AbortSignal,
): Promise<readonly FileCoverage[]> {
  const turn = takeTurns(signal);
  const masked: FileCoverage[] = [];
  for (const file of files) {
    await turn();
    masked.push({ ...file, path: masker.mask(file.path) });
  }
  return masked;
}
