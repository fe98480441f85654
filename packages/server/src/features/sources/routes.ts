import { Readable } from "node:stream";
import {
  findApplicationId,
  findCandidates,
  findLatestGeneration,
  findNewestGenerated,
  findPrevious,
  lockApplication,
  type SourceDeps,
  upsertSource,
  withProvenance,
} from "../../engine/generation/index.ts";
import { readRun } from "../../engine/lifecycle/index.ts";
import type { KeptFiles } from "../../engine/workspaces/index.ts";
import { packEntries } from "../../platform/archive/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, matchesEtag, type Transact, untilGone } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { requireOwnApplication, requireReadableApplication } from "../projects/index.ts";
import { nameSome, type TakenSource, takeSource, withSpace } from "./take-source.ts";

interface Deps extends SourceDeps {
  readonly clock: Clock;
  readonly transact: Transact;
}

/** Reads the files of an application, and replaces those that its next run begins from. */
export function sourceRoutes(deps: Deps): Pick<Handlers, "readSource" | "putSource"> {
  const { db, clock, transact, workspaces } = deps;
  return {
    readSource: async ({ params, query, principal, request, reply }) => {
      const { id } = await requireReadableApplication(db, params.application_id, principal);
      const { repositoryId, source, projectId } = await findFiles(deps, id, query.project_id);
      const version = source.commit;
      if (request.method === "HEAD" || matchesEtag(request.headers["if-none-match"], `"${version}"`))
        return { status: 200, version, headers: tar };
      const body = await pack(deps, { repositoryId, source, projectId }, untilGone(reply));
      return { status: 200, body, version, headers: tar };
    },

    putSource: async (call) => {
      const { params, principal, request } = call;
      const { id } = await requireOwnApplication(db, params.application_id, principal);
      const taken = await takeSource(workspaces, {
        applicationId: id,
        archive: call.bytes,
        author: principal.userName,
        at: clock.now(),
        findEarlier: (madeFrom) => findEarlier(deps, id, madeFrom ?? call.query.project_id),
      });
      return transact(call, async (trx) => {
        await lockApplication(trx, id);
        await requireOwnApplication(trx, id, principal);
        await requireMatch({ ...deps, db: trx }, id, request.headers["if-match"]);
        const madeFrom = taken.madeFrom ?? call.query.project_id;
        const base = await findBase({ ...deps, db: trx }, id, madeFrom, taken.paths);
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

interface Files extends KeptFiles {
  readonly projectId: string | undefined;
}

/** The files that the next run begins from, or those of a run. */
async function findFiles(deps: Deps, applicationId: string, projectId: string | undefined): Promise<Files> {
  if (projectId !== undefined) {
    if ((await findApplicationId(deps.db, projectId)) !== applicationId)
      throw new Refusal("not_found", `The application has no project ${projectId}.`);
    const head = (await readRun(deps.db, deps.plans, projectId))?.state.head;
    if (head == null) throw new Refusal("conflict", `The project ${projectId} has no files yet.`);
    return { repositoryId: projectId, source: head, projectId };
  }
  const previous = await findPrevious(deps, applicationId);
  if (previous === undefined)
    throw new Refusal("conflict", "The application has no live run of the builder yet, and no source was put.");
  return { repositoryId: previous.repositoryId, source: previous.source, projectId: previous.baseProjectId };
}

/** Streams the files as an archive, from the repository: a client may take hours, and nobody knows how many there are. */
async function pack(
  { workspaces }: Deps,
  { repositoryId, source, projectId }: Files,
  signal: AbortSignal,
): Promise<Readable> {
  await withSpace(() => workspaces.open(repositoryId, source, { signal }));
  const files = workspaces.readTree(repositoryId, source.commit, { signal });
  const all = projectId === undefined ? files : withProvenance(files, projectId);
  return Readable.from(packEntries(all), { objectMode: false, highWaterMark: 256 * 1024 });
}

/** Under the lock of the application, which unconditional uploads take too. */
async function requireMatch(deps: SourceDeps, applicationId: string, wanted: string | undefined): Promise<void> {
  if (wanted === undefined) return;
  const current = await findPrevious(deps, applicationId);
  if (current !== undefined && matchesEtag(wanted, `"${current.source.commit}"`)) return;
  throw new Refusal(
    "precondition_failed",
    "The files have changed since you got them. Get them again, and apply your changes to those.",
  );
}

/** What somebody may have got and changed: the files of the run that a source names, and the previous ones. */
async function findEarlier(
  deps: Deps,
  applicationId: string,
  madeFrom: string | undefined,
): Promise<readonly KeptFiles[]> {
  const isOwn = madeFrom !== undefined && (await findApplicationId(deps.db, madeFrom)) === applicationId;
  const head = isOwn ? (await readRun(deps.db, deps.plans, madeFrom))?.state.head : undefined;
  const previous = await findPrevious(deps, applicationId);
  const ofRun = head == null || !isOwn ? [] : [{ repositoryId: madeFrom, source: head }];
  return [...ofRun, ...(previous === undefined ? [] : [previous])];
}

/** The generation that a source is based on: the one it names, or else that of the previous files. */
async function findBase(
  deps: SourceDeps,
  applicationId: string,
  madeFrom: string | undefined,
  paths: TakenSource["paths"],
) {
  if (madeFrom === undefined) {
    const previous = await findPrevious(deps, applicationId);
    const newest = previous === undefined ? await findNewestGenerated(deps.db, applicationId) : undefined;
    return {
      base: previous?.base ?? newest?.generated ?? null,
      baseProjectId: previous?.baseProjectId ?? newest?.projectId ?? null,
    };
  }
  const { put } = await findCandidates(deps.db, applicationId);
  const isOwn = (await findApplicationId(deps.db, madeFrom)) === applicationId;
  const generation = isOwn ? await findLatestGeneration(deps.db, madeFrom) : undefined;
  // The project may be deleted, but the source put before still has its base.
  const base = generation?.generated ?? (put?.baseProjectId === madeFrom ? put.base : undefined);
  if (base == null)
    throw new Refusal(
      "conflict",
      `The files claim to be from ${madeFrom}, which the builder has not built for this application. Get them again, or remove .slipway/source.json.`,
    );
  const beside = (generation?.report?.conflicts ?? []).flatMap((conflict) => conflict.beside ?? []);
  const left = beside.filter((path) => paths.has(path));
  if (left.length > 0)
    throw new Refusal(
      "invalid_body",
      `${nameSome(left)} still lies beside the file it conflicts with. Merge the two, remove this one and put the source again.`,
    );
  return { base, baseProjectId: madeFrom };
}
