import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { findUser } from "./find-user.ts";

type Role = CallOptions<"createUser">["body"]["role"];

export async function createUser(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [name = ""] = context.args;
  const user = await client.call("createUser", { body: { name, role: roleOf(context) }, signal });
  print(context, user, () => `${printable(user.name)} is created (${user.user_id}, ${user.role})`);
  return exitCode.ok;
}

export async function setRole(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const params = { user_id: await userOf(context) };
  const user = await client.call("changeUser", { params, body: { role: roleOf(context) }, signal });
  print(context, user, () => `${printable(user.name)} is ${user.role} now`);
  return exitCode.ok;
}

export async function removeUser(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const user_id = await userOf(context);
  await client.call("removeUser", { params: { user_id }, signal });
  print(context, { user_id, removed: true }, () => `${user_id} is removed`);
  return exitCode.ok;
}

export async function restoreUser(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const user_id = await findUser(context, context.args[0] ?? "", { removed: true });
  const user = await client.call("restoreUser", { params: { user_id }, signal });
  print(context, user, () => `${printable(user.name)} may come in again (${user.role})`);
  return exitCode.ok;
}

export async function issueTokens(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const issued = await client.call("issueTokens", { params: { user_id: await userOf(context) }, signal });
  print(context, issued, () =>
    [
      "The tokens, shown only once:",
      `token          ${issued.token}  (until ${issued.expires_at})`,
      `refresh token  ${issued.refresh_token}  (until ${issued.refresh_expires_at})`,
    ].join("\n"),
  );
  return exitCode.ok;
}

export async function endTokens(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const user_id = await userOf(context);
  await client.call("endTokens", { params: { user_id }, signal });
  print(context, { user_id, ended: true }, () => `all tokens and API keys of ${user_id} have ended`);
  return exitCode.ok;
}

/** The id of the user whom the first argument names. */
function userOf(context: ServiceContext): Promise<string> {
  return findUser(context, context.args[0] ?? "");
}

function roleOf({ options }: ServiceContext): Role {
  return textOf(options, "role") as Role;
}
