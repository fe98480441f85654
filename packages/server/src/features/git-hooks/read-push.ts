import type { IncomingHttpHeaders } from "node:http";
import { parseJson } from "../../platform/bounded-json.ts";

/** What a delivery tells of: a branch that has new commits, or something that starts nothing. */
export type Push = { readonly branch: string } | { readonly ignored: string };

/** Reads the delivery of a git server; undefined if it is not what git servers send. */
export function readPush(headers: IncomingHttpHeaders, body: Uint8Array): Push | undefined {
  const event = headers["x-github-event"] ?? headers["x-gitea-event"] ?? headers["x-gitlab-event"];
  if (typeof event !== "string") return undefined;
  if (!["push", "push hook"].includes(event.toLowerCase()))
    return { ignored: `Deliveries of '${event.slice(0, 100)}' start nothing: only pushes do.` };
  const payload = parsed(headers, body);
  const ref = payload?.["ref"];
  if (typeof ref !== "string") return undefined;
  if (!ref.startsWith("refs/heads/")) return { ignored: "Only pushes to branches start runs." };
  const branch = ref.slice("refs/heads/".length);
  if (!isBranchName(branch)) return { ignored: "The branch has a name that is not served." };
  if (/^0+$/.test(String(payload?.["after"] ?? ""))) return { ignored: `The branch '${branch}' was deleted.` };
  return { branch };
}

function parsed(headers: IncomingHttpHeaders, body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    const isForm = /^application\/x-www-form-urlencoded/i.test(headers["content-type"] ?? "");
    const value = parseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text)?.value;
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** As git allows them, so that nothing in it means anything but a name to git. */
function isBranchName(name: string): boolean {
  if (name.length > 250 || !/^[^\s~^:?*[\\\u0000-\u001f\u007f]+$/.test(name)) return false;
  return !/^[-/.]|\.\.|\/\/|@\{|\/\.|[/.]$|\.lock(?:\/|$)/.test(name) && name !== "@";
}
