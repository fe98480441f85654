import { readAnswerStart, readWholeAnswer } from "../../../platform/network/index.ts";
import { type Dial, ProviderRefusal } from "./provider.ts";

interface Request {
  readonly dial: Dial;
  readonly label: string;
}

const timeoutMs = 15_000;
const maxAnswerBytes = 4 * 2 ** 20;
const maxErrorBytes = 64 * 1024;

/** Calls the provider's API; throws a ProviderRefusal for anything but 2xx. */
export async function readJson(
  { dial, label }: Request,
  url: string | URL,
  init: RequestInit = {},
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const response = await dial(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new ProviderRefusal(`${label} cannot be reached.`, { isFinal: false, cause: error });
  });
  const { status, headers } = response;
  if (status >= 200 && status < 300) return { body: await readBounded(response, label), headers };
  // GitHub has a second kind of limit, of which only the text tells.
  const said = await readAnswerStart(response, maxErrorBytes).catch(() => "");
  const isLimited =
    headers.get("retry-after") !== null || headers.get("x-ratelimit-remaining") === "0" || /rate limit/i.test(said);
  // Too many requests are refused with 403 by some: that is no word on this person.
  const isFinal = status === 401 || (status === 403 && !isLimited);
  throw new ProviderRefusal(`${label} answered with status ${status}.`, { isFinal });
}

type Fields = Readonly<Record<string, unknown>>;

/** What an answer says, which may be anything, such as what a proxy says in the provider's place. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A list in an answer. Without one, nobody knows what somebody is a member of: they must not seem to be of nothing. */
export function requireList(value: unknown, label: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unreadable(label);
}

export function unreadable(label: string, cause?: unknown): ProviderRefusal {
  return new ProviderRefusal(`The answer of ${label} cannot be read.`, { isFinal: false, cause });
}

async function readBounded(response: Response, label: string): Promise<unknown> {
  try {
    return JSON.parse(await readAnswer(response, maxAnswerBytes));
  } catch (error) {
    throw unreadable(label, error);
  }
}

/** The same answer, read whole: libraries read theirs without a bound. */
export async function bounded(response: Response): Promise<Response> {
  const { status, headers } = response;
  const text = await readAnswer(response, maxAnswerBytes);
  return new Response(text === "" ? null : text, { status, headers });
}

/** An answer of a provider, as long as they are. */
export function readAnswer(response: Response, maxBytes: number): Promise<string> {
  return readWholeAnswer(response, { maxBytes, tooLong: () => new Error("The answer is too long.") });
}
