import { requireUploadLease } from "../agents/index.ts";
import { BlobError, type BlobStore, putArtifact } from "../artifacts/index.ts";
import { recordChange } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../database/index.ts";
import { type Call, type Handlers, requireScope, type Transact } from "../http/index.ts";
import { requireOwn } from "../projects/index.ts";
import { Refusal } from "../refusal.ts";

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  readonly blobs: BlobStore;
}

type Upload = Parameters<Handlers["uploadArtifact"]>[0];

/** What is brought to a project from outside. */
export function artifactRoutes({ db, clock, transact, blobs }: Parts): Pick<Handlers, "uploadArtifact"> {
  return {
    uploadArtifact: async (call) => {
      const { params, query } = call;
      requirePath(query.path);
      await requireUploader(db, call);
      const { digest, size } = await blobs.put(call.bytes).catch((error: unknown) => {
        if (!(error instanceof BlobError) || error.code !== "no_space") throw error;
        throw new Refusal("overloaded", error.message, { headers: { "retry-after": "60" }, cause: error });
      });
      return transact(call, async (trx) => {
        // Again, and held until it is written: who lost the lease meanwhile must not write over its successor's.
        await requireUploader(trx, call);
        const now = clock.now();
        const { type, path } = query;
        const artifact = { projectId: params.project_id, type, path, digest, sizeBytes: size, mediaType: typeOf(call) };
        await putArtifact(trx, { ...artifact, now });
        const detail = {
          type,
          path,
          size_bytes: size,
          ...(query.lease_id !== undefined && { lease_id: query.lease_id }),
        };
        await recordChange(trx, clock, call, { action: "artifact.upload", target: params.project_id, detail });
        return { status: 201, body: { type, path, size_bytes: size, modified: now.toISOString() } };
      });
    },
  };
}

/** Who may manage the project; or a worker, for its patch and as long as it holds its lease. */
async function requireUploader(db: Database | Transaction, { params, query, principal }: Upload): Promise<void> {
  const { lease_id: leaseId, fence, type, path } = query;
  if (leaseId === undefined) {
    requireScope(principal, "projects:manage");
    await requireOwn(db, params.project_id, principal);
    return;
  }
  requireScope(principal, "agents:work");
  await requireUploadLease(db, { leaseId, fence, projectId: params.project_id }, principal);
  if (type !== "patch" || path !== `patches/${leaseId}.patch`)
    throw new Refusal(
      "invalid_parameter",
      `With a lease, the type is 'patch' and the path 'patches/${leaseId}.patch'.`,
    );
}

function requirePath(path: string): void {
  const isOdd =
    path.split("/").some((part) => part === "" || part === "." || part === "..") || /[\p{Cc}\\]/u.test(path);
  if (isOdd)
    throw new Refusal("invalid_parameter", "The path must be relative, of names with '/' between them, without '..'.");
}

function typeOf({ request }: Pick<Call, "request">): string {
  const sent = request.headers["content-type"] ?? "";
  return /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)?$/.test(sent) ? sent : "application/octet-stream";
}
