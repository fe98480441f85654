import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  type BlobBackend,
  BlobError,
  type BlobStore,
  type ByteRange,
  type PutOptions,
  type StoredBlob,
} from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type BlobProblem, noteBlob, noteVerified, sumBytes } from "./retention/store.ts";

/** How many bytes may be stored; undefined: no limit. */
export interface Quotas {
  readonly project: number | undefined;
  readonly total: number | undefined;
}

const removalPollMs = 50;

interface Deps {
  readonly db: Database;
  readonly backend: BlobBackend;
  readonly quotas: Quotas;
}

/** A blob store whose blobs are recorded in the database, so that they can be counted, verified and collected. */
export class TrackedBlobs implements BlobStore {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async put(
    source: Uint8Array | AsyncIterable<Uint8Array>,
    { ownerId: projectId, leavesReserve = false }: Pick<PutOptions, "ownerId" | "leavesReserve"> = {},
  ): Promise<StoredBlob> {
    const { db, backend } = this.#deps;
    let isDamaged = false;
    const blob = await backend.put(source, {
      leavesReserve,
      beforeStored: async (found) => {
        await this.#requireRoom(found, projectId);
        isDamaged = (await this.#record(found)).problem !== null;
      },
      overwrites: () => isDamaged,
    });
    if (isDamaged) await noteVerified(db, blob.digest, null);
    return blob;
  }

  open(digest: string, range?: ByteRange): Promise<Readable> {
    return this.#deps.backend.open(digest, range);
  }

  read(digest: string): Promise<Buffer> {
    return this.#deps.backend.read(digest);
  }

  has(digest: string): Promise<boolean> {
    return this.#deps.backend.has(digest);
  }

  /** Waits for a removal in flight, which ends soon or expires. */
  async #record(blob: StoredBlob): Promise<{ problem: BlobProblem | null }> {
    for (;;) {
      const noted = await noteBlob(this.#deps.db, blob);
      if (noted !== undefined) return noted;
      await delay(removalPollMs);
    }
  }

  async #requireRoom({ digest, size }: StoredBlob, projectId: string | undefined): Promise<void> {
    const { db, quotas } = this.#deps;
    if (quotas.total === undefined && (quotas.project === undefined || projectId === undefined)) return;
    const used = await sumBytes(db, quotas.project === undefined ? undefined : projectId, digest);
    const reason = whyOverQuota(size, used, {
      ...quotas,
      project: projectId === undefined ? undefined : quotas.project,
    });
    if (reason !== undefined) throw new BlobError("quota_exceeded", reason);
  }
}

/** Why so many more bytes exceed a quota; undefined if they do not. */
export function whyOverQuota(
  size: number,
  used: { readonly total: number; readonly ofProject: number },
  { project, total }: Quotas,
): string | undefined {
  if (project !== undefined && used.ofProject + size > project)
    return `The project's artifacts take ${used.ofProject} of the ${project} bytes that it may have; ${size} more do not fit. Upload less, or ask the operator to raise artifact_quota_project.`;
  if (total !== undefined && used.total + size > total)
    return `All artifacts together take ${used.total} of the ${total} bytes that they may have; ${size} more do not fit. Delete projects that are not needed, or ask the operator to raise artifact_quota_total.`;
  return undefined;
}
