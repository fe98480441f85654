import { listAll } from "@slipway/client";
import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print, printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { fields } from "../output/table.ts";
import { findUser } from "../users/find-user.ts";

export async function listTeams(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listTeams", { query: queryOf(options, pageNames), signal });
  printPage(context, page, {
    plural: "teams",
    command: ["teams", "list"],
    headings: ["ID", "NAME", "MEMBERS", "CREATED"],
    rows: page.teams.map(({ team_id, name, members, created_at }) => [
      ...[team_id, printable(name), String(members), created_at],
    ]),
  });
  return exitCode.ok;
}

export async function showTeam(context: ServiceContext): Promise<ExitCode> {
  const params = { team_id: await findTeam(context) };
  const team = await context.client.call("readTeam", { params, signal: context.signal });
  print(context, team, () =>
    [
      ...fields({ team: `${printable(team.name)} (${team.team_id})`, created: team.created_at }),
      ...team.member_list.map(({ name, user_id, provider }) => {
        const by = provider === null ? "" : `, by ${printable(provider)}`;
        return `  ${printable(name)} (${user_id}${by})`;
      }),
    ].join("\n"),
  );
  return exitCode.ok;
}

export async function createTeam(context: ServiceContext): Promise<ExitCode> {
  const { client, signal } = context;
  const [name = ""] = context.args;
  const team = await client.call("createTeam", { body: { name }, signal });
  print(context, team, () => `${printable(team.name)} is created (${team.team_id})`);
  return exitCode.ok;
}

export async function deleteTeam(context: ServiceContext): Promise<ExitCode> {
  const team_id = await findTeam(context);
  await context.client.call("deleteTeam", { params: { team_id }, signal: context.signal });
  print(context, { team_id, deleted: true }, () => `${team_id} is deleted`);
  return exitCode.ok;
}

export async function addMember(context: ServiceContext): Promise<ExitCode> {
  const params = await memberOf(context);
  await context.client.call("addTeamMember", { params, signal: context.signal });
  print(context, { ...params, added: true }, () => `${params.user_id} is in the team now`);
  return exitCode.ok;
}

export async function removeMember(context: ServiceContext): Promise<ExitCode> {
  const params = await memberOf(context);
  await context.client.call("removeTeamMember", { params, signal: context.signal });
  print(context, { ...params, removed: true }, () => `${params.user_id} is no longer in the team`);
  return exitCode.ok;
}

async function memberOf(context: ServiceContext) {
  const [, user = ""] = context.args;
  return { team_id: await findTeam(context), user_id: await findUser(context, user) };
}

/** The id of the team that the first argument names by id or name. */
async function findTeam({ client, args: [team = ""], signal }: ServiceContext): Promise<string> {
  if (/^team_[0-9a-z]{20}$/.test(team)) return team;
  const teams = listAll(
    (query) => client.call("listTeams", { query, signal }),
    (page) => page.teams,
  );
  for await (const { team_id, name } of teams) if (name === team) return team_id;
  throw new CommandError(exitCode.notFound, `there is no team '${printable(team)}'`);
}
