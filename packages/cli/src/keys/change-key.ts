import { type Answer, type CallOptions, listAll } from "@slipway/client";
import { listOf, pageNames, queryOf, type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print, printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";

export async function listKeys(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  printKeys(context, await client.call("listApiKeys", { query: queryOf(options, pageNames), signal }), [
    "keys",
    "list",
  ]);
  return exitCode.ok;
}

/** A page of keys; the command is the one that shows the next page. */
export function printKeys(context: ServiceContext, page: Answer<"listApiKeys">, command: readonly string[]): void {
  printPage(context, page, {
    plural: "API keys",
    command,
    headings: ["ID", "NAME", "SCOPES", "EXPIRES", "LAST USED"],
    rows: page.api_keys.map(({ api_key_id, name, scopes, expires_at, last_used_at, revoked_at }) => [
      ...[api_key_id, name, scopes.join(",")],
      ...[revoked_at === null ? expires_at : "revoked", last_used_at ?? "never"],
    ]),
  });
}

export async function createKey(context: ServiceContext): Promise<ExitCode> {
  const { client, args, options, signal } = context;
  const [name = ""] = args;
  const team = textOf(options, "team");
  const body = { ...keyToCreate(name, options), ...(team !== undefined && { team }) };
  return showOnce(context, await client.call("createApiKey", { body, signal }));
}

export function keyToCreate(name: string, options: ServiceContext["options"]): CallOptions<"createServiceKey">["body"] {
  const expires_at = textOf(options, "expiresAt");
  // Unchecked: the service knows which scopes there are, and refuses the others.
  const scopes = listOf(options, "scopes") as CallOptions<"createServiceKey">["body"]["scopes"];
  return { name, scopes, ...(expires_at !== undefined && { expires_at }) };
}

export async function rotateKey(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const overlap = textOf(options, "overlap");
  const params = { api_key_id: await findKey(context) };
  const body = overlap === undefined ? {} : { overlap_seconds: Number(overlap) };
  return showOnce(context, await client.call("rotateApiKey", { params, body, signal }));
}

export async function revokeKey(context: ServiceContext): Promise<ExitCode> {
  const api_key_id = await findKey(context);
  await context.client.call("revokeApiKey", { params: { api_key_id }, signal: context.signal });
  print(context, { api_key_id, revoked: true }, () => `${api_key_id} is revoked`);
  return exitCode.ok;
}

/** The key alone goes to standard output, so that a script can keep it. */
export function showOnce(
  context: ServiceContext,
  key: { readonly api_key: string; readonly expires_at: string },
): ExitCode {
  if (!context.options.json)
    context.terminal.err(`Keep this key: it is shown only once. It expires ${key.expires_at}.`);
  print(context, key, () => key.api_key);
  return exitCode.ok;
}

async function findKey({ client, args: [key = ""], signal }: ServiceContext): Promise<string> {
  if (key.startsWith("ak_")) return key;
  const keys = listAll(
    (query) => client.call("listApiKeys", { query, signal }),
    (page) => page.api_keys,
  );
  for await (const { api_key_id, name, revoked_at } of keys) if (name === key && revoked_at === null) return api_key_id;
  throw new CommandError(exitCode.notFound, `there is no API key '${printable(key)}'`);
}
