import type { ProjectHealth } from "@slipway/contract";
import { type SpecDocument, specJsonSchema } from "@slipway/spec";
import { type ProjectSignals, selectEvents } from "../../engine/events/index.ts";
import type { AgentDirectory } from "../../engine/lifecycle/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import {
  type Call,
  fixedAnswer,
  type Handlers,
  matchesEtag,
  type OpenWaits,
  type Principal,
  pageOf,
  pageRequest,
  type Transact,
  untilGone,
} from "../../platform/http/index.ts";
import type { Plugins } from "../../platform/plugins/index.ts";
import type { SecretSources } from "../../platform/secrets/index.ts";
import { createProject } from "./create-project.ts";
import type { DocumentReader } from "./document-reader.ts";
import { dryRun, type FindPrevious } from "./dry-run.ts";
import { projectHealth } from "./project-health.ts";
import { noSuchProject, requireReadable, whileReadable } from "./readable-by.ts";
import { requireValid } from "./require-valid.ts";
import { placeOfNew, shareApplication } from "./share-application.ts";
import { showApplication, showProject, showWithLive, versionOf, versionWithLive } from "./show-project.ts";
import {
  findReadableWithLive,
  findSpec,
  findVersions,
  selectApplications,
  selectLatestProjects,
  selectProjects,
} from "./store.ts";
import { showEvent, streamEvents } from "./stream-events.ts";
import { streamProjects } from "./stream-projects.ts";
import { preferredWait, waitForChange } from "./wait-for-change.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  readonly signals: ProjectSignals;
  readonly openWaits: OpenWaits;
  /** Where deployed software listens. */
  readonly addressHost: string;
  readonly documents: DocumentReader;
  readonly plugins: Pick<Plugins, "known" | "plan" | "checkNames">;
  readonly agents: AgentDirectory;
  /** The stores that may provide secrets. */
  readonly secretSources: () => Promise<SecretSources>;
  readonly findPrevious: FindPrevious;
  readonly unmetIntegrations: Parameters<typeof dryRun>[0]["unmetIntegrations"];
  readonly unservedRequests: Parameters<typeof dryRun>[0]["unservedRequests"];
  /** Called after a project was created. */
  readonly onCreated: (projectId: string) => void;
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
  | "shareApplication"
  | "listProjectHealth"
  | "validateSpec"
  | "readSpecSchema"
>;

export function projectRoutes(deps: Deps): ProjectHandlers {
  const { db, clock, transact, documents, onCreated } = deps;
  return {
    createProject: async (call) => {
      const { environment, dry_run = false, review_plan = false, team } = call.query;
      const reading = await documents.read({ bytes: call.document, environment, isJsonWanted: dry_run });
      const document = requireValid(reading);
      const place = await placeOfNew(db, call.principal, { team, documentId: document.id });
      if (dry_run) {
        const written = JSON.parse(reading.json ?? "{}") as SpecDocument;
        const { diagnostics } = reading;
        const owner = { id: call.principal.userId, name: call.principal.userName };
        const tried = {
          document: written,
          content: call.document,
          environment,
          reviewPlan: review_plan,
          diagnostics,
          owner,
          applicationOwnerId: place.ownerId,
        };
        return { status: 200, body: await dryRun(deps, tried) };
      }
      const answer = await transact.oneStatement(call, async (db) => {
        const project = await createProject(db, clock, {
          actor: call,
          ownerId: call.principal.userId,
          teamId: place.teamId,
          document,
          content: call.document,
          reviewPlan: review_plan,
        });
        const headers = { location: `/api/v1/projects/${project.project_id}` };
        // Of a valid document there are only warnings, and here is the last place where its author looks.
        const { diagnostics } = reading;
        return { status: 201, body: { ...project, ...(diagnostics.length > 0 && { diagnostics }) }, headers };
      });
      onCreated((answer.body as { project_id: string }).project_id);
      return answer;
    },

    listProjects: async (call) => {
      const { query, principal, request } = call;
      if (request.method === "GET" && request.headers.accept?.includes("text/event-stream")) {
        using _ = deps.openWaits.open(principal);
        await streamProjects({ db, signals: deps.signals, stopping: deps.openWaits.signal }, call, principal);
        return undefined;
      }
      const { limit: _, cursor: __, ...filter } = query;
      const page = pageRequest(query, /^proj_/);
      const rows = await selectProjects(db, principal, filter, page);
      const { items, nextCursor } = pageOf(rows, page, ({ id }) => id);
      return { status: 200, body: { projects: items.map(showProject), next_cursor: nextCursor } };
    },

    readProject: async (call) => {
      const seconds = preferredWait(call.request.headers.prefer);
      if (seconds !== undefined) await waitForNewVersion(deps, call, seconds);
      const applied = seconds === undefined ? {} : { headers: { "preference-applied": `wait=${seconds}` } };
      const unchanged = await findUnchanged(db, call);
      if (unchanged !== undefined) return { status: 200, version: unchanged, ...applied };
      const row = await findReadableWithLive(db, call.params.project_id, call.principal);
      if (row === undefined) throw noSuchProject();
      return { status: 200, body: showWithLive(row, deps.addressHost), version: versionWithLive(row), ...applied };
    },

    readProjectStatus: async (call) => {
      const row = await requireReadable(db, call.params.project_id, call.principal);
      const { project_id, status, progress, current_phase, updated_at, error } = showProject(row);
      return {
        status: 200,
        body: { project_id, status, progress, current_phase, updated_at, error },
        version: versionOf(row),
      };
    },

    readSpec: async ({ params, principal, request }) => {
      await requireReadable(db, params.project_id, principal);
      const content = await findSpec(db, params.project_id);
      if (content === undefined) throw noSuchProject();
      // A document never changes, so the id of its project serves as its version.
      if (prefersJson(request.headers.accept)) {
        const { json } = await documents.read({ bytes: content, isJsonWanted: true });
        // It was accepted once; this version may be stricter.
        if (json === undefined) throw new Refusal("conflict", "This version cannot read the document; take its bytes.");
        const headers = { "content-type": "application/json; charset=utf-8", vary: "accept" };
        return { status: 200, body: json, version: `${params.project_id}-json`, headers };
      }
      const headers = { "content-type": "application/yaml; charset=utf-8", vary: "accept" };
      return { status: 200, body: content, version: params.project_id, headers };
    },

    listEvents: async (call) => {
      const { params, principal, query, request } = call;
      const project = await requireReadable(db, params.project_id, principal);
      // A HEAD has no body to stream: it gets the headers of the list.
      if (request.method === "GET" && request.headers.accept?.includes("text/event-stream")) {
        using _ = deps.openWaits.open(principal);
        const { signals, openWaits } = deps;
        const source = { db, signals, stopping: openWaits.signal };
        await streamEvents(source, whileReadable(db, call, project), params.project_id, lastEventId(request));
        return undefined;
      }
      const page = pageRequest(query, /^\d{1,15}$/);
      const rows = await selectEvents(db, params.project_id, Number(page.after ?? 0), page.limit + 1);
      const { items, nextCursor } = pageOf(rows, page, ({ sequence }) => String(sequence));
      return { status: 200, body: { events: items.map(showEvent), next_cursor: nextCursor } };
    },

    listApplications: async ({ query, principal }) => {
      const page = pageRequest(query, /^app_/);
      const { items, nextCursor } = pageOf(await selectApplications(db, principal, page), page, ({ id }) => id);
      return { status: 200, body: { applications: items.map(showApplication), next_cursor: nextCursor } };
    },

    shareApplication: (call) => shareApplication(deps, call),

    listProjectHealth: async ({ query, principal }) => {
      const page = pageRequest(query, /^app_/);
      const rows = await selectLatestProjects(db, principal, page);
      const { items, nextCursor } = pageOf(rows, page, ({ application_id }) => application_id);
      const projects = items.map((row): ProjectHealth => {
        const project = showWithLive(row, deps.addressHost);
        const { project_id, application_id, name, status, updated_at } = project;
        const health = projectHealth(project, clock.now().getTime());
        return { project_id, application_id, name, status, ...health, updated_at };
      });
      return { status: 200, body: { projects, next_cursor: nextCursor } };
    },

    validateSpec: async ({ document, query }) => {
      const { outline, diagnostics } = await documents.read({ bytes: document, environment: query.environment });
      return { status: 200, body: { valid: outline !== undefined, diagnostics } };
    },

    readSpecSchema: fixedAnswer("application/json; charset=utf-8", () => JSON.stringify(specJsonSchema()), {
      "access-control-allow-origin": "*",
    }),
  };
}

type ProjectCall = Pick<Call, "request" | "reply"> & {
  readonly params: { readonly project_id: string };
  readonly principal: Principal;
};

/** The version that the client has, if it is current: then we need not read the project. */
async function findUnchanged(db: Database, { params, principal, request }: ProjectCall): Promise<string | undefined> {
  const known = request.headers["if-none-match"];
  if (known === undefined) return undefined;
  const found = await findVersions(db, params.project_id, principal);
  const version = found && versionWithLive(found);
  return version !== undefined && matchesEtag(known, `"${version}"`) ? version : undefined;
}

/** Delays a read until the project differs from the client's version, or from the current one. */
async function waitForNewVersion(
  deps: Deps,
  { params, principal, request, reply }: ProjectCall,
  seconds: number,
): Promise<void> {
  await requireReadable(deps.db, params.project_id, principal);
  const findNow = async () => {
    const found = await findVersions(deps.db, params.project_id);
    return found && versionWithLive(found);
  };
  const first = await findNow();
  if (first === undefined) throw noSuchProject();
  const known = request.headers["if-none-match"];
  const isNew = (version: string | undefined) =>
    known === undefined ? version !== first : version === undefined || !matchesEtag(known, `"${version}"`);
  await waitForChange(deps, {
    projectId: params.project_id,
    principal,
    seconds,
    gone: untilGone(reply),
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
