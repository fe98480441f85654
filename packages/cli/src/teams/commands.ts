import { type Argument, type CommandGroup, pageOptions } from "../command.ts";

const team: Argument = {
  name: "[team]",
  description: "the team's name or id",
  flag: "--team-id <id>",
  missing: "give the team's name or id; 'slipway teams list' shows them",
};
const user: Argument = { name: "<user>", description: "the user's id or name" };

export const teamCommands: CommandGroup = {
  name: "teams",
  description: "List your teams. Administrators create and delete teams, and say who is in them.",
  exitCodes: { 4: "the team or the user does not exist" },
  examples: [
    "slipway teams create storefront",
    "slipway teams add storefront ada@example.com",
    "slipway run shop.yaml --team storefront",
    "slipway apps share shop --team storefront",
  ],
  commands: [
    {
      name: "list",
      description: "List your teams, newest first; administrators see all.",
      options: pageOptions("teams"),
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).listTeams(context),
    },
    {
      name: "show",
      description: "Show a team with its members.",
      arguments: [team],
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).showTeam(context),
    },
    {
      name: "create",
      description: "Create a team.",
      arguments: [{ name: "<name>", description: "lower-case letters, digits, dots, dashes and underscores" }],
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).createTeam(context),
    },
    {
      name: "add",
      description: "Add a user to a team.",
      arguments: [team, user],
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).addMember(context),
    },
    {
      name: "remove",
      description: "Remove a user from a team. Holds at once; their keys for the team end.",
      arguments: [team, user],
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).removeMember(context),
    },
    {
      name: "delete",
      aliases: ["rm"],
      description: "Delete a team. Its applications stay with their owners, its API keys end.",
      arguments: [team],
      needs: "api",
      run: async (context) => (await import("./change-team.ts")).deleteTeam(context),
    },
  ],
};
