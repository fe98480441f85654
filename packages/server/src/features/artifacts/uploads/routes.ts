import type { Upload } from "@slipway/contract";
import { type BlobStore, refuseBlobError } from "../../../platform/blobs/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/index.ts";
import { Refusal } from "../../../platform/errors/index.ts";
import type { Answer, Call, Handlers, Principal, Transact } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { recordChange } from "../../audit/index.ts";
import { requireOwn } from "../../projects/index.ts";
import { refuseReserved, requirePath } from "../artifact-path.ts";
import { usableMediaType } from "../media-type.ts";
import { sumBytes } from "../retention/store.ts";
import { putArtifact } from "../store.ts";
import { type Quotas, whyOverQuota } from "../tracked-blobs.ts";
import {
  addPiece,
  completeUpload,
  countPieces,
  deleteUpload,
  findUpload,
  insertUpload,
  selectPieces,
  type UploadRow,
} from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  readonly blobs: BlobStore;
  readonly quotas: Quotas;
  /** The largest upload in pieces; a single request is limited by `maxSingleUploadBytes` of the contract. */
  readonly maxUploadBytes: number;
}

const uploadRetentionMs = 24 * 3600_000;
const maxOpenUploads = 100;
const maxPieces = 10_000;

/** Uploads of artifacts in pieces: received pieces survive a broken connection or a restart of the service. */
export function uploadRoutes(deps: Deps): Pick<Handlers, "beginUpload" | "readUpload" | "sendPiece" | "cancelUpload"> {
  const { clock, transact } = deps;
  return {
    beginUpload: (call) => begin(deps, call),

    readUpload: async ({ params, principal }) => answer(200, await requireUpload(deps, params.upload_id, principal)),

    sendPiece: async (call) => {
      const row = await requireUpload(deps, call.params.upload_id, call.principal);
      const start = offsetOf(call);
      if (row.is_complete) return answer(200, row);
      const after = await takePiece(deps, row, start, call.bytes);
      return answer(200, after.received === after.size_bytes ? await complete(deps, call, after) : after);
    },

    cancelUpload: async (call) => {
      const { id, project_id, type, path } = await requireUpload(deps, call.params.upload_id, call.principal);
      return transact(call, async (trx) => {
        await deleteUpload(trx, id);
        const detail = { type, path };
        await recordChange(trx, clock, call, { action: "artifact.cancel_upload", target: project_id, detail });
        return { status: 204 };
      });
    },
  };
}

async function requireUpload({ db, clock }: Deps, id: string, principal: Principal): Promise<UploadRow> {
  const row = await findUpload(db, id, principal.userId, clock.now());
  if (row === undefined)
    throw new Refusal("not_found", "Not found: the upload is not yours, or it has expired. Begin a new one.");
  return row;
}

async function begin(deps: Deps, call: Parameters<Handlers["beginUpload"]>[0]): Promise<Answer> {
  const { db, clock, transact, quotas, maxUploadBytes } = deps;
  const { type, path, size_bytes: sizeBytes, media_type: mediaType = "", sha256: digest } = call.body;
  requirePath(path);
  refuseReserved(call.body);
  if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest))
    throw new Refusal("invalid_body", "The sha256 must be 64 lowercase hexadecimal digits.");
  const { id: projectId } = await requireOwn(db, call.params.project_id, call.principal);
  if (sizeBytes > maxUploadBytes)
    throw new Refusal(
      "too_large",
      `An upload may have at most ${maxUploadBytes} bytes; this one would have ${sizeBytes}.`,
    );
  // Refused now, not after hours of sending.
  const reason = whyOverQuota(sizeBytes, await sumBytes(db, projectId, ""), quotas);
  if (reason !== undefined) throw new Refusal("quota_exceeded", reason);
  return transact(call, async (trx) => {
    const now = clock.now();
    const row = await insertUpload(
      trx,
      {
        id: newId("upload", now.getTime()),
        projectId,
        userId: call.principal.userId,
        type,
        path,
        mediaType: usableMediaType(mediaType),
        sizeBytes,
        digest,
        now,
        expiresAt: new Date(now.getTime() + uploadRetentionMs),
      },
      maxOpenUploads,
    );
    if (row === undefined)
      throw new Refusal("conflict", `You have ${maxOpenUploads} open uploads. Complete or cancel some of them.`);
    await recordChange(trx, clock, call, {
      action: "artifact.begin_upload",
      target: projectId,
      detail: { type, path, size_bytes: sizeBytes },
    });
    return { ...answer(201, row), headers: { ...offset(row), location: `/api/v1/uploads/${row.id}` } };
  });
}

function offsetOf({ request }: Pick<Call, "request">): number {
  const header = request.headers["upload-offset"];
  if (typeof header !== "string" || !/^\d{1,15}$/.test(header))
    throw new Refusal(
      "invalid_parameter",
      "The header Upload-Offset must be the number of the first byte of the piece.",
    );
  return Number(header);
}

/** Stores a piece as a blob, which is atomic. */
async function takePiece(
  { db, blobs }: Deps,
  row: UploadRow,
  start: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<UploadRow> {
  if (start !== row.received) throw wrongOffset(row);
  if ((await countPieces(db, row.id)) >= maxPieces)
    throw new Refusal("conflict", `An upload may have ${maxPieces} pieces. Cancel it, and send larger ones.`);
  const { digest, size } = await blobs
    .put(bytes, { ownerId: row.project_id, leavesReserve: true })
    .catch(refuseBlobError);
  if (size === 0) return row;
  if (start + size > row.size_bytes)
    throw new Refusal("conflict", `The upload has ${row.size_bytes} bytes; the piece goes beyond them.`);
  const after = await addPiece(db, { id: row.id, start, digest, size });
  if (after === undefined) throw wrongOffset(row);
  return after;
}

function wrongOffset({ id, received }: UploadRow): Refusal {
  return new Refusal(
    "conflict",
    `The piece has the wrong offset: ${received} bytes had arrived before it. Ask GET /api/v1/uploads/${id}.`,
  );
}

/** Joins the pieces into an artifact. Safe to repeat after a crash. */
async function complete(
  { db, blobs, clock, transact }: Deps,
  call: Parameters<Handlers["sendPiece"]>[0],
  row: UploadRow,
): Promise<UploadRow> {
  const pieces = await selectPieces(db, row.id);
  const { digest, size } = await blobs
    .put(joined(blobs, pieces), { ownerId: row.project_id, leavesReserve: true })
    .catch(refuseBlobError);
  if (size !== row.size_bytes || (row.digest !== null && row.digest !== digest)) {
    // Complete but different: no further piece could correct it.
    await deleteUpload(db, row.id);
    throw new Refusal(
      "conflict",
      `The upload has the SHA-256 ${digest}, not ${row.digest ?? "the announced one"}. It was discarded; begin again.`,
    );
  }
  await transact(call, async (trx) => {
    if (!(await completeUpload(trx, row.id))) return { status: 200 };
    const { project_id: projectId, type, path, media_type: mediaType } = row;
    await putArtifact(trx, { projectId, type, path, digest, sizeBytes: size, mediaType, now: clock.now() });
    const detail = { type, path, size_bytes: size };
    await recordChange(trx, clock, call, { action: "artifact.upload", target: projectId, detail });
    return { status: 200 };
  });
  return { ...row, is_complete: true };
}

async function* joined(blobs: BlobStore, digests: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const digest of digests) yield* (await blobs.open(digest)) as AsyncIterable<Uint8Array>;
}

function answer(status: number, row: UploadRow): Answer {
  const body: Upload = {
    upload_id: row.id,
    project_id: row.project_id,
    type: row.type,
    path: row.path,
    size_bytes: row.size_bytes,
    offset: row.received,
    is_complete: row.is_complete,
    expires_at: row.expires_at.toISOString(),
  };
  return { status, body, headers: offset(row) };
}

function offset({ received }: UploadRow): Record<string, string> {
  return { "upload-offset": String(received) };
}
