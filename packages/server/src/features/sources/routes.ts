import { Readable } from "node:stream";
import {
  findApplication,
  findApplicationId,
  findCandidates,
  findLatestGeneration,
  findNewestGenerated,
  findPrevious,
  lockApplication,
  type SourceDeps,
  upsertSource,
  writeProvenance,
} from "../../engine/generation/index.ts";
import { readRun } from "../../engine/lifecycle/index.ts";
import type { SavedHead } from "../../engine/workspaces/index.ts";
import { packFolder } from "../../platform/archive/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Handlers,
  matchesEtag,
  type Principal,
  readsAllProjects,
  type Transact,
} from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { nameSome, sourceAttempt, type TakenSource, takeSource, withSpace } from "./take-source.ts";

interface Deps extends SourceDeps {
  readonly clock: Clock;
  readonly transact: Transact;
}

/** The files of an application: reading them, and changing what the next run begins from. */
export function sourceRoutes(parts: Deps): Pick<Handlers, "readSource" | "putSource"> {
  const { db, clock, transact, workspaces } = parts;
  return {
    readSource: async ({ params, query, principal, request }) => {
      const { id } = await requireApplication(db, params.application_id, reader(principal));
      const { keptBy, source, projectId } = await findFiles(parts, id, query.project_id);
      const version = source.commit;
      if (request.method === "HEAD" || matchesEtag(request.headers["if-none-match"], `"${version}"`))
        return { status: 200, version, headers: tar };
      return { status: 200, body: await pack(parts, { keptBy, source, projectId }), version, headers: tar };
    },

    putSource: async (call) => {
      const { params, principal, request } = call;
      const owner = principal.role === "svc:admin" ? undefined : principal.userId;
      const { id } = await requireApplication(db, params.application_id, owner);
      const taken = await takeSource(workspaces, {
        applicationId: id,
        archive: call.bytes,
        author: principal.userName,
        at: clock.now(),
      });
      return transact(call, async (trx) => {
        await lockApplication(trx, id);
        await requireApplication(trx, id, owner);
        await requireMatch({ ...parts, db: trx }, id, request.headers["if-match"]);
        const madeFrom = taken.madeFrom ?? call.query.project_id;
        const base = await findBase({ ...parts, db: trx }, id, madeFrom, taken.paths);
        const { source, files, sizeBytes } = taken;
        const put = { applicationId: id, source, files, sizeBytes, putBy: principal.userId, ...base };
        const putAt = (await upsertSource(trx, put)).toISOString();
        const detail = { files, size_bytes: sizeBytes, base_project_id: base.baseProjectId };
        await recordChange(trx, clock, call, { action: "application.put_source", target: id, detail });
        return { status: 200, body: { application_id: id, ...detail, put_at: putAt } };
      });
    },
  };
}

const tar = { "content-type": "application/x-tar" };

function reader(principal: Principal): string | undefined {
  return readsAllProjects(principal) ? undefined : principal.userId;
}

async function requireApplication(db: Database | Transaction, id: string, ownerId: string | undefined) {
  const found = await findApplication(db, id, ownerId);
  if (found === undefined) throw new Refusal("not_found", "There is no such application, or it is not yours to see.");
  return found;
}

interface Files {
  readonly keptBy: string;
  readonly source: SavedHead;
  readonly projectId: string | undefined;
}

/** What the next run begins from, or what a run has come to. */
async function findFiles(parts: Deps, applicationId: string, projectId: string | undefined): Promise<Files> {
  if (projectId !== undefined) {
    if ((await findApplicationId(parts.db, projectId)) !== applicationId)
      throw new Refusal("not_found", `The application has no project ${projectId}.`);
    const head = (await readRun(parts.db, parts.plans, projectId))?.state.head;
    if (head == null) throw new Refusal("conflict", `The project ${projectId} has no files yet.`);
    return { keptBy: projectId, source: head, projectId };
  }
  const previous = await findPrevious(parts, applicationId);
  if (previous === undefined)
    throw new Refusal(
      "conflict",
      "No run of the application that the builder has built is live yet, and no source was put.",
    );
  return { keptBy: previous.repositoryId, source: previous.source, projectId: previous.baseProjectId };
}

/** The files as an archive, while they are read; their folder goes with the last of it. */
async function pack({ workspaces }: Deps, { keptBy, source, projectId }: Files): Promise<Readable> {
  const worktree = await withSpace(async () => {
    await workspaces.open(keptBy, source);
    return workspaces.checkOut(keptBy, sourceAttempt(), source.commit);
  });
  if (projectId !== undefined) await writeProvenance(worktree.path, projectId);
  const archive = Readable.from(packFolder(worktree.path));
  // Also where the client is gone before the first byte.
  archive.once("close", () => void workspaces.release(worktree).catch(() => undefined));
  return archive;
}

async function requireMatch(parts: SourceDeps, applicationId: string, wanted: string | undefined): Promise<void> {
  if (wanted === undefined) return;
  const current = await findPrevious(parts, applicationId);
  if (current !== undefined && matchesEtag(wanted, `"${current.source.commit}"`)) return;
  throw new Refusal(
    "conflict",
    "The files have changed since you got them. Get them again, and put your changes into those.",
  );
}

/** What of a source was generated: as it says itself, or else what the files before it were made from. */
async function findBase(
  parts: SourceDeps,
  applicationId: string,
  madeFrom: string | undefined,
  paths: TakenSource["paths"],
) {
  if (madeFrom === undefined) {
    const previous = await findPrevious(parts, applicationId);
    const newest = previous === undefined ? await findNewestGenerated(parts.db, applicationId) : undefined;
    return {
      base: previous?.base ?? newest?.generated ?? null,
      baseProjectId: previous?.baseProjectId ?? newest?.projectId ?? null,
    };
  }
  const { put } = await findCandidates(parts.db, applicationId);
  const isOwn = (await findApplicationId(parts.db, madeFrom)) === applicationId;
  const generation = isOwn ? await findLatestGeneration(parts.db, madeFrom) : undefined;
  // Its project may be gone, but what was put before still knows.
  const base = generation?.generated ?? (put?.baseProjectId === madeFrom ? put.base : undefined);
  if (base == null)
    throw new Refusal(
      "conflict",
      `The files are said to be from ${madeFrom}, which the builder has not built for this application. Get them again, or take .slipway/source.json away.`,
    );
  const beside = (generation?.report?.conflicts ?? []).flatMap((conflict) => conflict.beside ?? []);
  const left = beside.filter((path) => paths.has(path));
  if (left.length > 0)
    throw new Refusal(
      "invalid_body",
      `${nameSome(left)} still lies beside what it is in conflict with. Take one of the two, remove this one and put it again.`,
    );
  return { base, baseProjectId: madeFrom };
}
