import { type CallOptions, listAll } from "@slipway/client";
import { pageNames, queryOf, type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { keyToCreate, printKeys, showOnce } from "../keys/change-key.ts";
import { print, printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";

type NewAccount = CallOptions<"createServiceAccount">["body"];

export async function listAccounts(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listServiceAccounts", { query: queryOf(options, pageNames), signal });
  printPage(context, page, {
    plural: "service accounts",
    command: ["service-accounts", "list"],
    headings: ["ID", "NAME", "ROLE", "TEAM", "CREATED"],
    rows: page.service_accounts.map(({ user_id, name, role, team_id, created_at }) => [
      ...[user_id, printable(name), role, team_id ?? "", created_at],
    ]),
  });
  return exitCode.ok;
}

export async function createAccount(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const [name = ""] = context.args;
  const team = textOf(options, "team");
  // Unchecked: the service knows which roles there are, and refuses the others.
  const role = textOf(options, "role") as NewAccount["role"];
  const account = await client.call("createServiceAccount", {
    body: { name, role, ...(team !== undefined && { team }) },
    signal,
  });
  print(context, account, () => `${printable(account.name)} is created (${account.user_id}, ${account.role})`);
  return exitCode.ok;
}

export async function listKeysOfAccount(context: ServiceContext): Promise<ExitCode> {
  const params = { user_id: await findAccount(context) };
  const query = queryOf(context.options, pageNames);
  const page = await context.client.call("listServiceKeys", { params, query, signal: context.signal });
  printKeys(context, page, ["service-accounts", "keys", params.user_id]);
  return exitCode.ok;
}

export async function createKeyOfAccount(context: ServiceContext): Promise<ExitCode> {
  const { client, args, options, signal } = context;
  const [, name = ""] = args;
  const params = { user_id: await findAccount(context) };
  return showOnce(context, await client.call("createServiceKey", { params, body: keyToCreate(name, options), signal }));
}

export async function removeAccount(context: ServiceContext): Promise<ExitCode> {
  const user_id = await findAccount(context);
  await context.client.call("removeUser", { params: { user_id }, signal: context.signal });
  print(context, { user_id, removed: true }, () => `${user_id} is removed`);
  return exitCode.ok;
}

/** The id of the account that the first argument names. Only of accounts: a name could also be a person's. */
async function findAccount({ client, args: [account = ""], signal }: ServiceContext): Promise<string> {
  const accounts = listAll(
    (query) => client.call("listServiceAccounts", { query, signal }),
    (page) => page.service_accounts,
  );
  for await (const { user_id, name } of accounts) if (name === account || user_id === account) return user_id;
  throw new CommandError(exitCode.notFound, `there is no service account '${printable(account)}'`);
}
