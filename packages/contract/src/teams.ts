import { adminOnly, scopeNames, withAnyScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Type } from "./schema.ts";

const CreateTeam = Type.Object(
  {
    name: Type.String({
      maxLength: 60,
      pattern: "^[a-z0-9][a-z0-9._-]*$",
      description: "Lower-case letters, digits, dots, dashes and underscores.",
      examples: ["storefront"],
    }),
  },
  { additionalProperties: false, description: "The team to create." },
);

const Team = Type.Object(
  {
    team_id: Id("team", "The team's id."),
    name: Type.String({ description: "The team's name." }),
    members: Type.Integer({ description: "The number of members." }),
    created_at: Timestamp("When the team was created."),
  },
  { description: "A team." },
);

const TeamMember = Type.Object(
  {
    user_id: Id("user", "The member's id."),
    name: Type.String({ description: "The member's name." }),
    provider: StringOrNull("The sign-in provider whose groups say so. Null: an administrator does."),
    added_at: Timestamp("Since when."),
  },
  { description: "A member of a team." },
);

const TeamWithMembers = Type.Object(
  { ...Team.properties, member_list: Type.Array(TeamMember, { description: "The members, by name; at most 1,000." }) },
  { description: "A team with its members." },
);

const TeamPage = Page("teams", Team, "Teams, newest first.");

const teamParams = Type.Object({ team_id: Id("team", "The team's id.") });
const memberParams = Type.Object({
  team_id: Id("team", "The team's id."),
  user_id: Id("user", "The member's id."),
});

/** Teams: people who work on the same projects. */
export const teamEndpoints = {
  createTeam: endpoint({
    method: "POST",
    path: "/api/v1/teams",
    tag: "Access",
    summary: "Create a team",
    access: adminOnly,
    body: CreateTeam,
    success: [{ status: 201, description: "The team.", schema: Team }],
    problems: ["conflict", "invalid_body"],
  }),
  listTeams: endpoint({
    method: "GET",
    path: "/api/v1/teams",
    tag: "Access",
    summary: "List your teams, newest first; administrators see all",
    access: withAnyScope(...scopeNames),
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of teams.", schema: TeamPage }],
    problems: [],
  }),
  readTeam: endpoint({
    method: "GET",
    path: "/api/v1/teams/{team_id}",
    tag: "Access",
    summary: "Read a team of yours with its members",
    access: withAnyScope(...scopeNames),
    params: teamParams,
    success: [{ status: 200, description: "The team.", schema: TeamWithMembers }],
    problems: ["not_found"],
  }),
  deleteTeam: endpoint({
    method: "DELETE",
    path: "/api/v1/teams/{team_id}",
    tag: "Access",
    summary: "Delete a team",
    description:
      "Its applications are shared with nobody then, and its API keys end. Its webhooks and service accounts must be gone before.",
    access: adminOnly,
    params: teamParams,
    success: [{ status: 204, description: "The team was deleted." }],
    problems: ["not_found", "conflict"],
  }),
  addTeamMember: endpoint({
    method: "PUT",
    path: "/api/v1/teams/{team_id}/members/{user_id}",
    tag: "Access",
    summary: "Add a user to a team",
    access: adminOnly,
    params: memberParams,
    success: [{ status: 204, description: "The user is a member." }],
    problems: ["not_found", "conflict"],
  }),
  removeTeamMember: endpoint({
    method: "DELETE",
    path: "/api/v1/teams/{team_id}/members/{user_id}",
    tag: "Access",
    summary: "Remove a user from a team",
    description: "Holds at once. The user's API keys for the team end.",
    access: adminOnly,
    params: memberParams,
    success: [{ status: 204, description: "The user is no member any more." }],
    problems: ["not_found"],
  }),
} as const;
