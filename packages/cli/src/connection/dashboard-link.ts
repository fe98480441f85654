import type { Client } from "@slipway/client";

/** A link to a page of the dashboard: it signs a browser in, once and soon, where the caller's token may do that. */
export async function dashboardLink(client: Client, path = "/", signal?: AbortSignal): Promise<string> {
  const page = `${client.url}${path}`;
  try {
    const { code } = await client.call("createSignInCode", { signal });
    return `${page}#sign-in=${code}`;
  } catch {
    // API keys make no codes, and older services have none: the page then asks for a key.
    signal?.throwIfAborted();
    return page;
  }
}
