import { createHash } from "node:crypto";
import { findCheckpoint } from "../../engine/lifecycle/index.ts";
import { refuseBlobError } from "../../platform/blobs/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Call,
  type Handlers,
  type Principal,
  requireScope,
  type Transact,
  untilGone,
} from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { requireOwn, requireReadable } from "../projects/index.ts";
import { patchPath, refuseReserved, requirePath, sourceFolder, sourceType } from "./artifact-path.ts";
import { type DownloadDeps, download } from "./download.ts";
import { usableMediaType } from "./media-type.ts";
import { verifyProject } from "./retention/verify-blobs.ts";
import { findSourceCode, listSourceFiles } from "./source-code.ts";
import { type ArtifactRow, putArtifact, selectArtifacts } from "./store.ts";

interface Deps extends DownloadDeps {
  readonly clock: Clock;
  readonly transact: Transact;
  /** Refuses a caller without the lease for which it uploads. */
  readonly requireUploadLease: (
    db: Database | Transaction,
    lease: { leaseId: string; fence: number | undefined; projectId: string },
    principal: Principal,
  ) => Promise<void>;
}

type Upload = Parameters<Handlers["uploadArtifact"]>[0];

/** Shorter than the timeout of any proxy. */
const maxVerifyMs = 20_000;

/** Lists, downloads, uploads and verifies the artifacts of projects. */
export function artifactRoutes(
  deps: Deps,
): Pick<Handlers, "listArtifacts" | "listSourceFiles" | "downloadArtifact" | "uploadArtifact" | "verifyArtifacts"> {
  const { db } = deps;
  return {
    listArtifacts: async ({ params, principal, query, reply }) => {
      await requireReadable(db, params.project_id, principal);
      await requireCheckpoint(db, params.project_id, query.checkpoint);
      const artifacts = await listAll(deps, { ...query, projectId: params.project_id, gone: untilGone(reply) });
      const version = createHash("sha256").update(JSON.stringify(artifacts)).digest("base64url").slice(0, 27);
      return { status: 200, body: { artifacts }, version };
    },

    listSourceFiles: async ({ params, principal, query, reply }) => {
      await requireReadable(db, params.project_id, principal);
      await requireCheckpoint(db, params.project_id, query.checkpoint);
      const wanted = { projectId: params.project_id, checkpoint: query.checkpoint, gone: untilGone(reply) };
      const { commit, ...body } = await listSourceFiles(deps, wanted);
      return { status: 200, body, version: commit ?? "none" };
    },

    downloadArtifact: async ({ params, principal, query, request, reply }) => {
      const { project_id: projectId, artifact: called } = params;
      await requireReadable(db, projectId, principal);
      await requireCheckpoint(db, projectId, query.checkpoint);
      const { headers } = request;
      return download(
        deps,
        { projectId, called, checkpoint: query.checkpoint, gone: untilGone(reply) },
        {
          isHead: request.method === "HEAD",
          ifNoneMatch: headers["if-none-match"],
          range: headers.range,
          // Node joins repeated headers, which its types do not know.
          ifRange: headers["if-range"] === undefined ? undefined : String(headers["if-range"]),
        },
      );
    },

    uploadArtifact: (call) => upload(deps, call),

    verifyArtifacts: async ({ params, principal, query }) => {
      await requireOwn(db, params.project_id, principal);
      const untilMs = performance.now() + maxVerifyMs;
      return { status: 200, body: await verifyProject(deps, params.project_id, { ...query, untilMs }) };
    },
  };
}

/** All artifacts by path, with the source code. */
async function listAll(
  deps: DownloadDeps,
  { projectId, checkpoint, type, gone }: { projectId: string; checkpoint?: string; type?: string; gone: AbortSignal },
) {
  const rows = await selectArtifacts(deps.db, projectId, { checkpoint });
  const source = await findSourceCode(deps, { projectId, checkpoint, gone });
  const shown = [
    ...rows.map(show),
    ...(source === undefined
      ? []
      : [
          {
            type: sourceType,
            path: sourceFolder,
            size_bytes: source.tree.size_bytes,
            modified: source.tree.modified.toISOString(),
          },
        ]),
  ];
  return shown
    .filter((artifact) => type === undefined || artifact.type === type)
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

function show({ type, path, size_bytes, modified }: ArtifactRow) {
  return { type, path, size_bytes, modified: modified.toISOString() };
}

async function requireCheckpoint(db: Database, projectId: string, id: string | undefined): Promise<void> {
  if (id === undefined || (await findCheckpoint(db, projectId, id)) !== undefined) return;
  throw new Refusal("not_found", `The project has no checkpoint '${id}'.`);
}

async function upload(deps: Deps, call: Upload) {
  const { db, clock, transact, blobs } = deps;
  const { params, query } = call;
  const { type, path } = query;
  requirePath(path);
  refuseReserved(query);
  await requireUploader(deps, db, call);
  const { digest, size } = await blobs
    .put(call.bytes, { ownerId: params.project_id, leavesReserve: true })
    .catch(refuseBlobError);
  return transact(call, async (trx) => {
    // Again, and locked until the commit: a worker that lost its lease must not overwrite its successor's upload.
    await requireUploader(deps, trx, call);
    const now = clock.now();
    const artifact = { projectId: params.project_id, type, path, digest, sizeBytes: size, mediaType: typeOf(call) };
    await putArtifact(trx, { ...artifact, now });
    const lease = query.lease_id === undefined ? {} : { lease_id: query.lease_id };
    const detail = { type, path, size_bytes: size, ...lease };
    await recordChange(trx, clock, call, { action: "artifact.upload", target: params.project_id, detail });
    return { status: 201, body: { type, path, size_bytes: size, modified: now.toISOString() } };
  });
}

/** Allows whoever may manage the project, and a worker for its patch while it holds the lease. */
async function requireUploader(
  deps: Deps,
  db: Database | Transaction,
  { params, query, principal }: Upload,
): Promise<void> {
  const { lease_id: leaseId, fence, type, path } = query;
  if (leaseId === undefined) {
    requireScope(principal, "projects:manage");
    await requireOwn(db, params.project_id, principal);
    return;
  }
  requireScope(principal, "agents:work");
  await deps.requireUploadLease(db, { leaseId, fence, projectId: params.project_id }, principal);
  if (type !== "patch" || path !== patchPath(leaseId))
    throw new Refusal("invalid_parameter", `With a lease, the type is 'patch' and the path '${patchPath(leaseId)}'.`);
}

function typeOf({ request }: Pick<Call, "request">): string {
  return usableMediaType(request.headers["content-type"] ?? "");
}
