import { createHash } from "node:crypto";
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
  const { key } = readJson<{ key?: unknown }>(made.body);
  if (typeof key !== "string") return { is: "failed", reason: "Jira did not say which ticket it made.", isFinal: true };
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
  const { transitions = [] } = readJson<{ transitions?: readonly Transition[] }>(ways.body);
  const toDone = transitions.find(({ to }) => to?.statusCategory?.key === "done");
  if (toDone !== undefined) await jira.call("POST", `${path}/transitions`, { transition: { id: toDone.id } });
  return { is: "sent" };
}

interface Transition {
  readonly id: string;
  readonly to?: { readonly statusCategory?: { readonly key?: string } };
}

/** The ticket's key; undefined if there is none. */
async function findTicket(jira: Jira, label: string): Promise<string | Failed | undefined> {
  const query = `?fields=key&maxResults=1&jql=${encodeURIComponent(`labels = "${label}"`)}`;
  const first = await jira.call("GET", `/rest/api/2/search${query}`);
  // Jira Cloud has moved its search.
  const hasMoved = first.is === "answered" && (first.status === 404 || first.status === 410);
  const answer = accepted(hasMoved ? await jira.call("GET", `/rest/api/3/search/jql${query}`) : first, [200]);
  if (answer.is === "failed") return answer;
  const { issues = [] } = readJson<{ issues?: readonly { key?: string }[] }>(answer.body);
  return issues[0]?.key;
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
  const { errorMessages = [], errors = {} } = readJson<{ errorMessages?: string[]; errors?: Record<string, string> }>(
    body,
  );
  const all = [...errorMessages, ...Object.entries(errors).map(([field, why]) => `${field}: ${why}`)];
  return all.join(" ").slice(0, 500);
}

function readJson<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as T) : {};
  } catch {
    return {};
  }
}

/** Hashed: a label may not contain spaces, and a task's id may. */
function labelOf(projectId: string, subject: string): string {
  const task = subject === "" ? "" : `-${createHash("sha256").update(subject).digest("hex").slice(0, 16)}`;
  return `slipway-${projectId}${task}`;
}
