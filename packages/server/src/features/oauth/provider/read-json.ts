import { type Dial, ProviderRefusal } from "./provider.ts";

interface Request {
  readonly dial: Dial;
  readonly label: string;
}

const timeoutMs = 15_000;
const maxAnswerBytes = 4 * 2 ** 20;

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
  await response.body?.cancel();
  // Too many requests are refused with 403 by some: that is no word on this person.
  const isLimited = headers.get("retry-after") !== null || headers.get("x-ratelimit-remaining") === "0";
  const isFinal = status === 401 || (status === 403 && !isLimited);
  throw new ProviderRefusal(`${label} answered with status ${status}.`, { isFinal });
}

async function readBounded(response: Response, label: string): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxAnswerBytes) throw new Error("The answer is too long.");
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new ProviderRefusal(`The answer of ${label} cannot be read.`, { isFinal: false, cause: error });
  }
}
