import type { Answer } from "@slipway/client";
import { useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { useList } from "../data/use-list.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { TablePart } from "../parts/table-part.tsx";
import { Ago } from "../parts/time.tsx";

type Team = Answer<"listTeams">["teams"][number];
type User = Answer<"listUsers">["users"][number];

/** Who works on the same projects. */
export function Teams({ users }: { readonly users: readonly User[] }) {
  const list = useList("users/teams", async (page) => {
    const { teams, next_cursor } = await client.call("listTeams", { query: page });
    return { items: teams, next: next_cursor };
  });
  return (
    <TablePart
      title="Teams"
      create={<CreateTeam />}
      list={list}
      empty="There are no teams. Members of a team work on what is shared with it."
      head={["Name", "Members", "Since", "Change"]}
    >
      {list.items.map((team) => (
        <Row key={team.team_id} team={team} users={users} />
      ))}
    </TablePart>
  );
}

function Row({ team, users }: { readonly team: Team; readonly users: readonly User[] }) {
  const { team_id, name, created_at } = team;
  return (
    <tr>
      <td class="wide">{name}</td>
      <td>
        <Members team={team} />
      </td>
      <td>
        <Ago at={created_at} />
      </td>
      <td>
        <span class="buttons">
          <AddMember team={team} users={users} />
          <AskButton
            label="Delete"
            title={`Delete the team ${name}?`}
            action="Delete it"
            isDangerous
            act={() => client.call("deleteTeam", { params: { team_id } })}
            outdates="users"
          >
            <p>What it shares stays with its owners. API keys for the team end.</p>
          </AskButton>
        </span>
      </td>
    </tr>
  );
}

function Members({ team: { team_id, name } }: { readonly team: Team }) {
  const { data, error } = useQuery(`users/teams/${team_id}`, () => client.call("readTeam", { params: { team_id } }));
  if (data === undefined) return <span class="faint">{error === undefined ? "Loading…" : explain(error)}</span>;
  if (data.member_list.length === 0) return <span class="faint">nobody</span>;
  return (
    <ul>
      {data.member_list.map((member) => (
        <li key={member.user_id}>
          {member.name}{" "}
          {member.provider === null ? (
            <AskButton
              label="Remove"
              title={`Remove ${member.name} from ${name}?`}
              action="Remove them"
              isDangerous
              act={() => client.call("removeTeamMember", { params: { team_id, user_id: member.user_id } })}
              outdates="users"
            >
              <p>They lose what the team shares at once, and their keys for the team.</p>
            </AskButton>
          ) : (
            <span class="faint">by {member.provider}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function AddMember({ team: { team_id, name }, users }: { readonly team: Team; readonly users: readonly User[] }) {
  const [chosen, setChosen] = useState("");
  const user_id = chosen === "" ? (users[0]?.user_id ?? "") : chosen;
  return (
    <AskButton
      label="Add…"
      title={`Add somebody to ${name}`}
      action="Add them"
      act={() => client.call("addTeamMember", { params: { team_id, user_id } })}
      outdates="users"
    >
      <label>
        User
        <select value={user_id} onChange={(event) => setChosen(event.currentTarget.value)}>
          {users.map((user) => (
            <option key={user.user_id} value={user.user_id}>
              {user.name}
            </option>
          ))}
        </select>
      </label>
    </AskButton>
  );
}

function CreateTeam() {
  const [name, setName] = useState("");
  return (
    <AskButton
      label="New team…"
      title="Create a team"
      action="Create it"
      act={() => client.call("createTeam", { body: { name } })}
      outdates="users"
    >
      <label>
        Name
        <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
    </AskButton>
  );
}
