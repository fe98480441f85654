import { ConnectionError, createClient, SlipwayError } from "@slipway/client";
import { sessionHeader } from "@slipway/contract";
import { Value } from "./value.ts";

/** Whether the service answers. */
export const isOnline = new Value(true);

/** Counts how often the service said that nobody is signed in. */
export const signedOut = new Value(0);

/** The service that served this page, by the browser's session cookie. */
export const client = createClient({ url: location.origin, fetch: send });

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set(sessionHeader, "1");
  try {
    const response = await fetch(input, { ...init, headers });
    isOnline.set(true);
    if (response.status === 401) signedOut.set(signedOut.get() + 1);
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) isOnline.set(false);
    throw error;
  }
}

/** An error in words for people. */
export function explain(error: unknown): string {
  if (error instanceof SlipwayError) return error.problem?.detail ?? `The service answered ${error.status}.`;
  if (error instanceof ConnectionError) return "The service does not answer. The page tries again by itself.";
  return error instanceof Error ? error.message : String(error);
}
