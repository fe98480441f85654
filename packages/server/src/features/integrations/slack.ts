import { oneLine } from "../../platform/one-line.ts";
import type { Answered } from "./call.ts";
import type { NoticeAction, NoticeOutcome } from "./notice.ts";

type Message = Extract<NoticeAction, { readonly is: "message" }>;

/** Posts a message to an incoming webhook of Slack. Its address is a secret, so no error text contains it. */
export async function postToSlack(
  call: (url: string, body: unknown) => Promise<Answered>,
  url: string,
  { text, channel }: Message,
): Promise<NoticeOutcome> {
  const answer = await call(url, { text, ...(channel !== undefined && { channel }) });
  if (answer.is === "failed") return answer;
  const { status, body, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { is: "sent" };
  // Slack says what is wrong in a word, such as `channel_not_found` or `no_service`.
  const reason = `Slack answered ${status}${body === "" ? "" : ` (${oneLine(body, 200)})`}.`;
  const isFinal = status < 500 && status !== 429 && status !== 408;
  return { is: "failed", reason, isFinal, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
