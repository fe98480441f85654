import { parseSpec, specJsonSchema } from "@slipway/spec";
import { recordChange } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import { type ProjectSignals, selectEvents, showEvent, streamEvents } from "../events/index.ts";
import {
  type Call,
  type Handlers,
  matchesEtag,
  type OpenWaits,
  type Principal,
  pageOf,
  pageRequest,
  readsAllProjects,
  type Transact,
} from "../http/index.ts";
import { Refusal } from "../refusal.ts";
import { createProject } from "./create-project.ts";
import { readDocument } from "./read-document.ts";
import { showProject, versionOf } from "./show-project.ts";
import { findProject, findSpec, findVersion, type ProjectRow, selectApplications, selectProjects } from "./store.ts";
import { preferredWait, waitForChange } from "./wait-for-change.ts";

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  readonly signals: ProjectSignals;
  readonly openWaits: OpenWaits;
  /** Called after a project changed. */
  readonly onChanged: (projectId: string) => void;
}

type ProjectHandlers = Pick<
  Handlers,
  | "createProject"
  | "listProjects"
  | "readProject"
  | "readProjectStatus"
  | "readSpec"
  | "listEvents"
  | "listApplications"
  | "validateSpec"
  | "readSpecSchema"
>;

export function projectRoutes(parts: Parts): ProjectHandlers {
  const { db, clock, transact, onChanged } = parts;
  return {
    createProject: async (call) => {
      const document = readDocument(call.document, call.query.environment);
      const answer = await transact(call, async (trx) => {
        const project = await createProject(trx, clock, {
          ownerId: call.principal.userId,
          document,
          content: call.document,
          environment: call.query.environment,
        });
        await recordChange(trx, clock, call, { action: "project.create", target: project.project_id });
        const headers = { location: `/api/v1/projects/${project.project_id}` };
        return { status: 201, body: project, headers };
      });
      onChanged((answer.body as { project_id: string }).project_id);
      return answer;
    },

    listProjects: async ({ query, principal }) => {
      const { limit: _, cursor: __, ...filter } = query;
      const page = pageRequest(query, /^proj_/);
      const rows = await selectProjects(db, { ...filter, ownerId: onlyOwner(principal) }, page);
      const { items, nextCursor } = pageOf(rows, page, ({ id }) => id);
      return { status: 200, body: { projects: items.map(showProject), next_cursor: nextCursor } };
    },

    readProject: async (call) => {
      const seconds = preferredWait(call.request.headers.prefer);
      if (seconds !== undefined) await waitForNews(parts, call, seconds);
      const applied = seconds === undefined ? {} : { headers: { "preference-applied": `wait=${seconds}` } };
      const unchanged = await findUnchanged(db, call);
      if (unchanged !== undefined) return { status: 200, version: unchanged, ...applied };
      const row = await requireProject(db, call);
      return { status: 200, body: showProject(row), version: versionOf(row), ...applied };
    },

    readProjectStatus: async (call) => {
      const row = await requireProject(db, call);
      const { project_id, status, progress, current_phase, updated_at, error } = showProject(row);
      return {
        status: 200,
        body: { project_id, status, progress, current_phase, updated_at, error },
        version: versionOf(row),
      };
    },

    readSpec: async ({ params, principal, request }) => {
      const content = await findSpec(db, params.project_id, onlyOwner(principal));
      if (content === undefined) throw noSuchProject();
      // A document never changes: its project's id is version enough.
      if (prefersJson(request.headers.accept)) {
        const { document } = parseSpec(content);
        // It was accepted once; this version of the service may be stricter.
        if (document === undefined)
          throw new Refusal("conflict", "This version cannot read the document; take its bytes.");
        return {
          status: 200,
          body: document,
          version: `${params.project_id}-json`,
          headers: { vary: "accept" },
        };
      }
      const headers = { "content-type": "application/yaml; charset=utf-8", vary: "accept" };
      return { status: 200, body: content, version: params.project_id, headers };
    },

    listEvents: async (call) => {
      const { params, principal, query, request, reply } = call;
      if ((await findVersion(db, params.project_id, onlyOwner(principal))) === undefined) throw noSuchProject();
      // A HEAD has no body to stream: it gets the head of the history.
      if (request.method === "GET" && request.headers.accept?.includes("text/event-stream")) {
        using _ = parts.openWaits.open(principal.id);
        const { signals, openWaits } = parts;
        const source = { db, signals, stopping: openWaits.signal, isStillAdmitted: call.isStillAdmitted };
        await streamEvents(source, reply, params.project_id, lastEventId(request));
        return undefined;
      }
      const page = pageRequest(query, /^\d{1,15}$/);
      const rows = await selectEvents(db, params.project_id, Number(page.after ?? 0), page.limit + 1);
      const { items, nextCursor } = pageOf(rows, page, ({ sequence }) => String(sequence));
      return { status: 200, body: { events: items.map(showEvent), next_cursor: nextCursor } };
    },

    listApplications: async ({ query, principal }) => {
      const page = pageRequest(query, /^app_/);
      const { items, nextCursor } = pageOf(
        await selectApplications(db, onlyOwner(principal), page),
        page,
        ({ id }) => id,
      );
      const applications = items.map(({ id, created_at, updated_at, ...rest }) => ({
        application_id: id,
        ...rest,
        created_at: created_at.toISOString(),
        updated_at: updated_at?.toISOString() ?? null,
      }));
      return { status: 200, body: { applications, next_cursor: nextCursor } };
    },

    validateSpec: async ({ document, query }) => {
      const { document: valid, diagnostics } = parseSpec(document, { environment: query.environment });
      return { status: 200, body: { valid: valid !== undefined, diagnostics } };
    },

    readSpecSchema: async () => ({
      status: 200,
      body: specJsonSchema(),
      headers: { "access-control-allow-origin": "*" },
    }),
  };
}

/** Whose projects are looked for: nobody's in particular, or one's own. */
function onlyOwner(principal: Principal): string | undefined {
  return readsAllProjects(principal) ? undefined : principal.userId;
}

type ProjectCall = Pick<Call, "request" | "reply"> & {
  readonly params: { readonly project_id: string };
  readonly principal: Principal;
};

async function requireProject(db: Database, { params, principal }: ProjectCall): Promise<ProjectRow> {
  const row = await findProject(db, params.project_id, onlyOwner(principal));
  if (row === undefined) throw noSuchProject();
  return row;
}

/** The version that the client has, if it is the current one: the rest need not be read then. */
async function findUnchanged(db: Database, { params, principal, request }: ProjectCall): Promise<string | undefined> {
  const known = request.headers["if-none-match"];
  if (known === undefined) return undefined;
  const version = await findVersion(db, params.project_id, onlyOwner(principal));
  return version !== undefined && matchesEtag(known, `"${version}"`) ? String(version) : undefined;
}

function noSuchProject(): Refusal {
  return new Refusal("not_found", "There is no such project, or it is not yours to see.");
}

/** Holds a read until the project differs from what the client has, or from what it is now. */
async function waitForNews(
  parts: Parts,
  { params, principal, request, reply }: ProjectCall,
  seconds: number,
): Promise<void> {
  const findNow = () => findVersion(parts.db, params.project_id, onlyOwner(principal));
  const first = await findNow();
  if (first === undefined) throw noSuchProject();
  const known = request.headers["if-none-match"];
  const isNew = (version: number | undefined) =>
    known === undefined ? version !== first : version === undefined || !matchesEtag(known, `"${version}"`);
  const gone = new AbortController();
  // The answer's own end: the connection may serve many waits, and must not collect a listener for each.
  reply.raw.once("close", () => gone.abort());
  await waitForChange(parts, {
    projectId: params.project_id,
    principal,
    seconds,
    gone: gone.signal,
    hasChanged: async () => isNew(await findNow()),
  });
}

function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && /application\/json/i.test(accept) && !/yaml/i.test(accept);
}

function lastEventId({ headers }: Call["request"]): number {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return 0;
  if (typeof id !== "string" || !/^\d{1,15}$/.test(id)) {
    throw new Refusal("invalid_parameter", "Last-Event-ID must be the id of an event of this stream: a whole number.");
  }
  return Number(id);
}
