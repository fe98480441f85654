import { type CompleteSpec, fillTemplate, secretNamed } from "@slipway/spec";
import type { FindSecrets } from "../../engine/execution/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { type CallOptions, call } from "./call.ts";
import { commentTicket, createTicket, type Jira } from "./jira.ts";
import { findJira, type JiraSettings } from "./jira-settings.ts";
import type { NoticeOutcome } from "./notice.ts";
import { postToSlack } from "./slack.ts";
import type { ClaimedNotice } from "./store.ts";

export interface NotifyDeps {
  readonly clock: Clock;
  readonly findSecrets: FindSecrets;
  /** Calls addresses that documents name. */
  readonly dial: CallOptions["fetch"];
  /** Calls addresses that the operator named. */
  readonly dialOperators: CallOptions["fetch"];
  readonly jira: readonly JiraSettings[];
  readonly environment: NodeJS.ProcessEnv;
}

/** A call never takes longer, whatever the document allows: the lease of a notice depends on it. */
export const maxCallMs = 60_000;

/** Sends a notice to Slack or Jira. */
export async function sendNotice(
  deps: NotifyDeps,
  notice: ClaimedNotice,
  document: CompleteSpec,
  signal: AbortSignal,
): Promise<NoticeOutcome> {
  const { connect_seconds, read_seconds } = document.network.timeouts;
  const wholeMs = Math.min(maxCallMs, (connect_seconds + read_seconds) * 1000);
  const options = { wholeMs, signal, now: () => deps.clock.now() };
  const { action } = notice;
  if (action.is === "message") return sendToSlack(deps, notice.projectId, document, action, options);
  const jira = jiraOf(deps, document, options);
  if ("reason" in jira) return jira;
  const outcome = await sendToJira(jira, notice);
  // A proxy before it may repeat what it was sent.
  return outcome.is === "failed" ? { ...outcome, reason: new Masker(jira.secrets).mask(outcome.reason) } : outcome;
}

async function sendToJira(jira: Jira, { action, ...notice }: ClaimedNotice): Promise<NoticeOutcome> {
  if (action.is === "create_ticket") {
    if (notice.ticket !== null) return { is: "sent" };
    // An earlier attempt may have created it and died before that was written.
    return createTicket(jira, notice.projectId, action, { mayExist: notice.attemptCount > 0 });
  }
  if (notice.ticket === null) return { is: "skipped", reason: "There is no ticket for it." };
  return commentTicket(jira, notice.ticket, action as Extract<typeof action, { readonly is: "comment_ticket" }>);
}

type Options = Pick<CallOptions, "wholeMs" | "signal" | "now">;

async function sendToSlack(
  { findSecrets, dial }: NotifyDeps,
  projectId: string,
  document: CompleteSpec,
  message: Parameters<typeof postToSlack>[2],
  options: Options,
): Promise<NoticeOutcome> {
  const written = document.metadata?.integrations?.slack?.webhook_url;
  if (written === undefined) return { is: "skipped", reason: "The document names no address." };
  const secrets = await findSecrets(projectId, document);
  if ("message" in secrets) return { is: "failed", reason: secrets.message, isFinal: false };
  const url = fillTemplate(written, (name) => secrets.values[secretNamed(name) ?? ""]);
  const outcome = await postToSlack((to, body) => call({ ...options, fetch: dial }, "POST", to, body), url, message);
  if (outcome.is !== "failed") return outcome;
  // What the document says itself is no secret.
  const parts = partsOf(url).filter((part) => !written.includes(part));
  const masker = new Masker([...Object.values(secrets.values), ...parts.map((part) => part.slice(0, maxPartLength))]);
  return { ...outcome, reason: masker.mask(outcome.reason) };
}

/** Shorter ones are words such as `hooks`, or numbers of a version. */
const minSegmentLength = 8;
/** A reason quotes no more; an address of 50,000 characters, nine times, would hold up everybody for seconds. */
const maxPartLength = 512;

/** Whatever of an address a server may repeat: many answer with the path that they do not know, or with a part of it. */
function partsOf(address: string): readonly string[] {
  const { href, pathname, search } = URL.parse(address) ?? { href: address, pathname: "", search: "" };
  // A name that has no value is one.
  const values = search
    .slice(1)
    .split("&")
    .map((pair) => /=(.+)/.exec(pair)?.[1] ?? pair);
  const segments = pathname.split("/").filter(({ length }) => length >= minSegmentLength);
  const wholes = [pathname, search].flatMap((whole) => [whole, whole.slice(1)]);
  return [address, href, pathname + search, (pathname + search).slice(1), ...wholes, ...values, ...segments];
}

function jiraOf(
  { jira: instances, dialOperators, environment }: NotifyDeps,
  { metadata }: CompleteSpec,
  options: Options,
): (Jira & { readonly secrets: readonly string[] }) | Extract<NoticeOutcome, { is: "failed" }> {
  const { instance_url = "", project_key, issue_type = "Task" } = metadata?.integrations?.jira ?? {};
  const declared = findJira(instances, instance_url);
  if (declared === undefined) return final(`The operator has declared no credentials for ${instance_url}.`);
  if (project_key === undefined) return final("The document names no 'project_key'.");
  const token = environment[declared.tokenEnv];
  if (token === undefined || token === "")
    return { is: "failed", reason: `The variable ${declared.tokenEnv} is not set.`, isFinal: false };
  const { email, url } = declared;
  const basic = Buffer.from(`${email}:${token}`).toString("base64");
  const headers = { authorization: email === undefined ? `Bearer ${token}` : `Basic ${basic}` };
  return {
    secrets: [token, basic],
    projectKey: project_key,
    issueType: issue_type,
    call: (method, path, body) => call({ ...options, fetch: dialOperators, headers }, method, `${url}${path}`, body),
  };
}

function final(reason: string): Extract<NoticeOutcome, { is: "failed" }> {
  return { is: "failed", reason, isFinal: true };
}
