import { createHash } from "node:crypto";
import type { ArtifactCheck, DamagedArtifact } from "@slipway/contract";
import { BlobError, type BlobStore } from "../../../platform/blobs/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { graceMs } from "./collect-blobs.ts";
import { type BlobProblem, noteVerified, selectToVerify, selectUses } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly blobs: BlobStore;
}

/** How long a verification counts. */
const verificationMs = 30 * 24 * 3600_000;
/**
 * Younger blobs are not verified: a process killed while storing leaves a row without bytes, which is no damage and which the
 * collection removes.
 */
const minAgeMs = graceMs + 2 * 3600_000;

/** Reads a blob, and compares it with its digest. */
async function verifyBlob(blobs: BlobStore, digest: string): Promise<{ problem: BlobProblem | null; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of (await blobs.open(digest)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    if (error.code === "blob_missing") return { problem: "missing", bytes };
    if (error.code === "blob_changed") return { problem: "changed", bytes };
    throw error;
  }
  return { problem: hash.digest("hex") === digest ? null : "changed", bytes };
}

/** Verifies the blobs whose last verification is oldest, up to `maxBytes`; returns the damaged ones. */
export async function verifySome(
  { db, blobs }: Deps,
  maxBytes: number,
  { keptMs = minAgeMs }: { keptMs?: number } = {},
): Promise<{ digest: string; problem: BlobProblem }[]> {
  const damaged: { digest: string; problem: BlobProblem }[] = [];
  let left = maxBytes;
  for (const { digest, size } of await selectToVerify(db, { verifiedMs: verificationMs, keptMs, limit: 100 })) {
    // At least one, or a blob larger than the limit would never be verified.
    if (size > left && left < maxBytes) break;
    left -= size;
    const { problem } = await verifyBlob(blobs, digest);
    const isStillStored = await noteVerified(db, digest, problem);
    if (problem !== null && isStillStored) damaged.push({ digest, problem });
  }
  return damaged;
}

const batchSize = 200;

/** Verifies all blobs of a project, until `untilMs`. */
export async function verifyProject(
  { db, blobs }: Deps,
  projectId: string,
  { after = "", untilMs, now = () => performance.now() }: { after?: string; untilMs: number; now?: () => number },
): Promise<ArtifactCheck> {
  const damaged: DamagedArtifact[] = [];
  let [checked, checkedBytes, last] = [0, 0, after];
  for (;;) {
    const uses = Map.groupBy(
      await selectUses(db, projectId, { after: last, limit: batchSize }),
      ({ sha256 }) => sha256,
    );
    for (const [digest, found] of uses) {
      const { problem, bytes } = await verifyBlob(blobs, digest);
      await noteVerified(db, digest, problem);
      checked += 1;
      checkedBytes += bytes;
      last = digest;
      if (problem !== null) damaged.push(...found.map((use) => ({ ...use, problem })));
      if (now() > untilMs)
        return { checked, checked_bytes: checkedBytes, damaged, is_complete: false, next_after: last };
    }
    if (uses.size < batchSize)
      return { checked, checked_bytes: checkedBytes, damaged, is_complete: true, next_after: null };
  }
}
