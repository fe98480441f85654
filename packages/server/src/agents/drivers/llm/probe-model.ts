import type { Probe } from "../driver.ts";
import type { ModelEndpoint } from "./ask-model.ts";

/** Asks the endpoint for its list of models; where it has none, asks the model for one word. */
export async function probeModel({ baseUrl, model, key, fetch }: ModelEndpoint, signal: AbortSignal): Promise<Probe> {
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  try {
    const list = await fetch(`${baseUrl}/models`, { headers, signal });
    await list.body?.cancel();
    if (list.status !== 404 && list.status !== 405) return judge(list.status, model);
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Say ok." }], max_tokens: 16 });
    const answer = await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers, body, signal });
    await answer.body?.cancel();
    return judge(answer.status, model);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    return { isUsable: false, reason: withoutKey(`The model's endpoint cannot be reached: ${reason}`, key) };
  }
}

function judge(status: number, model: string): Probe {
  if (status >= 200 && status < 300) return { isUsable: true, version: model };
  if (status === 401 || status === 403)
    return { isUsable: false, reason: `The model's endpoint does not accept the key (status ${status}).` };
  return { isUsable: false, reason: `The model's endpoint answered with status ${status}.` };
}

function withoutKey(text: string, key: string | undefined): string {
  return key === undefined ? text : text.replaceAll(key, "[key]");
}
