import { createHash } from "node:crypto";
import { oneLine } from "../../platform/one-line.ts";
import type { Answered } from "./call.ts";
import type { NoticeAction, NoticeOutcome } from "./notice.ts";

/** A Jira instance, as far as tickets need it. */
export interface Jira {
  call(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<Answered>;
  readonly projectKey: string;
  readonly issueType: string;
}

type Create = Extract<NoticeAction, { readonly is: "create_ticket" }>;
type Comment = Extract<NoticeAction, { readonly is: "comment_ticket" }>;
type Failed = Extract<NoticeOutcome, { readonly is: "failed" }>;

/** Creates a ticket, unless an earlier attempt did: a label that names its subject finds it again. */
export async function createTicket(
  jira: Jira,
  projectId: string,
  { subject, fields }: Create,
  { mayExist }: { readonly mayExist: boolean },
): Promise<NoticeOutcome> {
  const label = labelOf(projectId, subject);
  if (mayExist) {
    const found = await findTicket(jira, label);
    if (typeof found === "object") return found;
    if (found !== undefined) return { is: "sent", ticket: found };
  }
  const { projectKey, issueType } = jira;
  const answer = await jira.call("POST", "/rest/api/2/issue", {
    fields: { ...fields, project: { key: projectKey }, issuetype: { name: issueType }, labels: ["slipway", label] },
  });
  const made = accepted(answer, [201, 200]);
  if (made.is === "failed") return made;
  const key = readKey(readJson(made.body)["key"]);
  if (key === undefined) return { is: "failed", reason: "Jira did not say which ticket it made.", isFinal: true };
  return { is: "sent", ticket: key };
}

/** Comments on a ticket; if its subject is done, moves the ticket to done, where its workflow has such a transition. */
export async function commentTicket(jira: Jira, key: string, { text, isDone }: Comment): Promise<NoticeOutcome> {
  const path = `/rest/api/2/issue/${encodeURIComponent(key)}`;
  const said = accepted(await jira.call("POST", `${path}/comment`, { body: text }), [201, 200]);
  if (said.is === "failed") return said;
  if (!isDone) return { is: "sent" };
  const ways = accepted(await jira.call("GET", `${path}/transitions`), [200]);
  // The comment is there: it must not come twice because of this.
  if (ways.is === "failed") return { is: "sent" };
  const toDone = listIn(readJson(ways.body), "transitions").find(
    ({ to }) => recordOf(recordOf(to)["statusCategory"])["key"] === "done",
  );
  if (toDone !== undefined) await jira.call("POST", `${path}/transitions`, { transition: { id: toDone["id"] } });
  return { is: "sent" };
}

/** The ticket's key; undefined if there is none. */
async function findTicket(jira: Jira, label: string): Promise<string | Failed | undefined> {
  const query = `?fields=key&maxResults=1&jql=${encodeURIComponent(`labels = "${label}"`)}`;
  const first = await jira.call("GET", `/rest/api/2/search${query}`);
  // Jira Cloud has moved its search.
  const hasMoved = first.is === "answered" && (first.status === 404 || first.status === 410);
  const answer = accepted(hasMoved ? await jira.call("GET", `/rest/api/3/search/jql${query}`) : first, [200]);
  if (answer.is === "failed") return answer;
  return readKey(listIn(readJson(answer.body), "issues")[0]?.["key"]);
}

function accepted(answer: Answered, statuses: readonly number[]): Extract<Answered, { is: "answered" }> | Failed {
  if (answer.is === "failed") return answer;
  const { status, body, retryAfterMs } = answer;
  if (statuses.includes(status)) return answer;
  const errors = errorsIn(body);
  const isFinal = status < 500 && status !== 429 && status !== 408;
  const reason = `Jira answered ${status}${errors === "" ? "" : `: ${errors}`}.`;
  return { is: "failed", reason, isFinal, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Jira's errors, field by field. */
function errorsIn(body: string): string {
  const { errorMessages, errors } = readJson(body);
  const all = [
    ...(Array.isArray(errorMessages) ? errorMessages : []),
    ...Object.entries(recordOf(errors)).map(([field, why]) => typeof why === "string" && `${field}: ${why}`),
  ];
  return oneLine(all.filter((text) => typeof text === "string").join(" "), 500);
}

/** The key of a ticket; undefined if it is none. */
function readKey(value: unknown): string | undefined {
  return typeof value === "string" && /^[\p{L}\p{N}_-]{1,255}$/u.test(value) ? value : undefined;
}

// What answers may be anything, such as a page of a proxy or a Jira of another version.
type Json = Readonly<Record<string, unknown>>;

function readJson(text: string): Json {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function listIn(value: Json, name: string): readonly Json[] {
  const list = value[name];
  return Array.isArray(list) ? list.map(recordOf) : [];
}

/** Hashed: a label may not contain spaces, and a task's id may. */
function labelOf(projectId: string, subject: string): string {
  const task = subject === "" ? "" : `-${createHash("sha256").update(subject).digest("hex").slice(0, 16)}`;
  return `slipway-${projectId}${task}`;
}
