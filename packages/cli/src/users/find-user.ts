import { listAll } from "@slipway/client";
import type { ServiceContext } from "../command.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** The id of a user who is named by id or name. */
export async function findUser(
  { client, signal }: ServiceContext,
  user: string,
  { removed = false } = {},
): Promise<string> {
  if (/^usr_[0-9a-z]{20}$/.test(user)) return user;
  const users = listAll(
    (page) => client.call("listUsers", { query: { ...page, ...(removed && { removed }) }, signal }),
    (page) => page.users,
  );
  for await (const { user_id, name } of users) if (name === user) return user_id;
  throw new CommandError(exitCode.notFound, `there is no user '${printable(user)}'`);
}
