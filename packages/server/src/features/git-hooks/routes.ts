import { randomBytes } from "node:crypto";
import type { SpecDocument } from "@slipway/spec";
import { limits } from "@slipway/spec";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { fetchFile, WorkspaceError } from "../../platform/git/index.ts";
import type { Answer, Handlers, Transact } from "../../platform/http/index.ts";
import type { Log } from "../../platform/log/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import { type Actor, recordChange } from "../audit/index.ts";
import { createProject, type DocumentReader, requireOwnApplication, requireValid } from "../projects/index.ts";
import type { GitRemote } from "./git-remotes.ts";
import { readPush } from "./read-push.ts";
import { findHooked, type HookedApplication, hasDelivery, insertDelivery, putHookSecret } from "./store.ts";
import { deliveryIdOf, isGenuine } from "./verify-delivery.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly transact: Transact;
  readonly keyring: Pick<Keyring, "encrypt" | "decrypt">;
  readonly reader: DocumentReader;
  /** Where the operator lets documents of applications come from. */
  readonly remotes: readonly GitRemote[];
  /** Hold what is fetched, for as long as it is read. */
  readonly temporary: TemporaryFolders;
  readonly environment: NodeJS.ProcessEnv;
  /** Called after a project was created. */
  readonly onCreated: (projectId: string) => void;
}

/** Git servers wait for about ten seconds. */
const maxFetchMs = 9_000;
/** How many documents are fetched at a time: each is a git process, and a repository on the disk. */
const maxFetches = 4;

/** Makes the secrets of git hooks, and takes the pushes that git servers tell of. */
export function gitHookRoutes(deps: Deps): Pick<Handlers, "createHookSecret" | "receiveGitHook"> {
  const { db, clock, transact, keyring } = deps;
  let fetches = 0;
  const fetchDocument = async (application: HookedApplication, branch: string) => {
    if (fetches >= maxFetches) throw new Refusal("overloaded", "Too many pushes at once. Send it again later.");
    fetches += 1;
    try {
      return await fetchFrom(deps, application.id, branch);
    } finally {
      fetches -= 1;
    }
  };
  return {
    createHookSecret: async (call) => {
      const { id } = await requireOwnApplication(db, call.params.application_id, call.principal);
      const secret = randomBytes(32).toString("base64url");
      const now = clock.now();
      return transact(call, async (trx) => {
        await putHookSecret(trx, { applicationId: id, secret: seal(keyring, id, secret), now });
        await recordChange(trx, clock, call, { action: "application.hook_secret", target: id });
        const path = `/api/v1/hooks/git/${id}`;
        return { status: 201, body: { application_id: id, path, secret, created_at: now.toISOString() } };
      });
    },

    receiveGitHook: async (call) => {
      const { headers } = call.request;
      const body = Buffer.concat(await Array.fromAsync(call.bytes));
      const application = await findHooked(db, call.params.application_id);
      const secret = application && openSecret(keyring, application);
      // The same for an application that does not exist: nobody may learn here which ones do.
      if (application === undefined || secret === undefined || !isGenuine(headers, body, secret))
        throw new Refusal("not_found", "There is no such hook, or the delivery does not carry its secret.");
      const push = readPush(headers, body);
      if (push === undefined)
        throw new Refusal("invalid_body", "This is not a delivery of GitHub, Gitea or GitLab that names a branch.");
      if ("ignored" in push) return ignored(push.ignored);
      const deliveryId = deliveryIdOf(headers, body);
      if (await hasDelivery(db, application.id, deliveryId)) return duplicate;
      const content = await fetchDocument(application, push.branch);
      return start(deps, call, { application, deliveryId, content, branch: push.branch });
    },
  };
}

interface Delivered {
  readonly application: HookedApplication;
  readonly deliveryId: string;
  readonly content: Buffer;
  readonly branch: string;
}

/** Starts a run for each environment that the branch triggers, once for a delivery. */
async function start(
  deps: Deps,
  { request }: Pick<Actor, "request"> & Parameters<Transact>[0],
  { application, deliveryId, content, branch }: Delivered,
): Promise<Answer> {
  const { clock, reader, transact } = deps;
  const reading = await reader.read({ bytes: content, isJsonWanted: true });
  const { id } = requireValid(reading);
  if (id !== application.documentId)
    throw new Refusal("conflict", `The document there is '${id}', and not '${application.documentId}'.`);
  const { environments = {} } = JSON.parse(reading.json ?? "{}") as SpecDocument;
  const names = Object.entries(environments).filter(([, block]) => block.branch_trigger === branch);
  if (names.length === 0) return ignored(`No environment has the branch_trigger '${branch}'.`);
  const outlines = await Promise.all(
    names.map(async ([environment]) => requireValid(await reader.read({ bytes: content, environment }))),
  );
  const principal = { userId: application.ownerId, userName: application.ownerName };
  const answer = await transact({ request }, async (trx) => {
    const now = clock.now();
    if (!(await insertDelivery(trx, { applicationId: application.id, deliveryId, now }))) return duplicate;
    const projects: { project_id: string; environment: string }[] = [];
    for (const [at, document] of outlines.entries()) {
      const ownerId = application.ownerId;
      const submission = { actor: { request, principal }, ownerId, document, content, reviewPlan: false };
      const { project_id } = await createProject(trx as Database, clock, submission);
      projects.push({ project_id, environment: names[at]![0] });
    }
    const detail = { branch, delivery_id: deliveryId, projects: projects.map(({ project_id }) => project_id) };
    await recordChange(trx, clock, { request, principal }, { action: "hook.git", target: application.id, detail });
    return { status: 202, body: { result: "started", reason: null, projects } };
  });
  for (const { project_id } of (answer.body as { projects: { project_id: string }[] }).projects)
    deps.onCreated(project_id);
  return answer;
}

/** The document on a branch of the one remote that the operator allowed; nothing in a delivery says where that is. */
async function fetchFrom(deps: Deps, applicationId: string, branch: string): Promise<Buffer> {
  const remote = deps.remotes.find((one) => one.applicationId === applicationId);
  if (remote === undefined)
    throw new Refusal(
      "conflict",
      `The operator has allowed no git remote for ${applicationId}: add it to 'git_remotes' of the config file.`,
    );
  const token = remote.tokenEnv === undefined ? undefined : deps.environment[remote.tokenEnv];
  if (remote.tokenEnv !== undefined && !token)
    throw new Refusal("conflict", `${remote.tokenEnv}, which holds the token for the git remote, is not set.`);
  try {
    return await fetchFile({
      ...{ url: remote.url, branch, path: remote.path, temporary: deps.temporary, token },
      ...{ maxBytes: limits.documentBytes, limitMs: maxFetchMs },
    });
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    deps.log.warn({ err: error, application_id: applicationId }, "A document could not be fetched from its remote.");
    // What git said may tell of addresses inside: it is for the log.
    throw new Refusal("conflict", `'${remote.path}' cannot be fetched from '${branch}' of the application's remote.`);
  }
}

const duplicate: Answer = {
  status: 200,
  body: { result: "duplicate", reason: "This delivery was taken before.", projects: [] },
};

function ignored(reason: string): Answer {
  return { status: 200, body: { result: "ignored", reason, projects: [] } };
}

/** Encrypted together with its application: a row that was moved is no secret of another one. */
function seal({ encrypt }: Pick<Keyring, "encrypt">, applicationId: string, secret: string): Uint8Array {
  return encrypt(Buffer.from(JSON.stringify([applicationId, secret]), "utf8"));
}

function openSecret({ decrypt }: Pick<Keyring, "decrypt">, { id, secret }: HookedApplication): string | undefined {
  const [applicationId, value] = JSON.parse(Buffer.from(decrypt(secret)).toString("utf8")) as [string, string];
  return applicationId === id ? value : undefined;
}
