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

/** How many bytes there may be; undefined: as many as there is room for. */
export interface Quotas {
  readonly project: number | undefined;
  readonly total: number | undefined;
}

const removalPollMs = 50;

interface Deps {
  readonly db: Database;
  readonly place: BlobBackend;
  readonly quotas: Quotas;
}

/** A blob store whose contents the database knows: so they can be counted, verified, and removed when nothing needs them. */
export class TrackedBlobs implements BlobStore {
  readonly #parts: Deps;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  async put(source: Uint8Array | AsyncIterable<Uint8Array>, { projectId }: PutOptions = {}): Promise<StoredBlob> {
    const { db, place } = this.#parts;
    let isDamaged = false;
    const blob = await place.put(source, {
      beforeStored: async (found) => {
        await this.#requireRoom(found, projectId);
        isDamaged = (await this.#note(found)).problem !== null;
      },
      isAnew: () => isDamaged,
    });
    if (isDamaged) await noteVerified(db, blob.digest, null);
    return blob;
  }

  open(digest: string, range?: ByteRange): Promise<Readable> {
    return this.#parts.place.open(digest, range);
  }

  read(digest: string): Promise<Buffer> {
    return this.#parts.place.read(digest);
  }

  has(digest: string): Promise<boolean> {
    return this.#parts.place.has(digest);
  }

  /** A removal that was begun before is waited for: it is over soon, or given up. */
  async #note(blob: StoredBlob): Promise<{ problem: BlobProblem | null }> {
    for (;;) {
      const noted = await noteBlob(this.#parts.db, blob);
      if (noted !== undefined) return noted;
      await delay(removalPollMs);
    }
  }

  async #requireRoom({ digest, size }: StoredBlob, projectId: string | undefined): Promise<void> {
    const { db, quotas } = this.#parts;
    if (quotas.total === undefined && (quotas.project === undefined || projectId === undefined)) return;
    const used = await sumBytes(db, quotas.project === undefined ? undefined : projectId, digest);
    const reason = whyTooMuch(size, used, { ...quotas, project: projectId === undefined ? undefined : quotas.project });
    if (reason !== undefined) throw new BlobError("quota_exceeded", reason);
  }
}

/** Why there is no room for so many bytes more; nothing if there is. */
export function whyTooMuch(
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
