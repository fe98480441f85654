import type { Answer } from "@slipway/client";
import type { Role } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { Listing, Table } from "../parts/listing.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { RoleSelect, roles } from "./role-select.tsx";
import { ServiceAccounts } from "./service-accounts.tsx";
import { Teams } from "./teams.tsx";

type User = Answer<"listUsers">["users"][number];

/** Who may come in, and what they may do. */
export function UsersPage() {
  useTitle("Users");
  const [token, setToken] = useState("");
  const list = useList("users/list", async (page) => {
    const { users, next_cursor } = await client.call("listUsers", { query: page });
    return { items: users, next: next_cursor };
  });
  const people = list.items.filter(({ kind }) => kind === "person");
  return (
    <div class="page">
      <div class="title">
        <h1>Users</h1>
        <div class="buttons">
          <CreateUser />
        </div>
      </div>
      {token !== "" && <ShownOnce value={token} what="The user's token: it signs them in on the sign-in page." />}
      <Listing list={list} empty={<p>There are no users.</p>}>
        <Table label="Users" head={["Name", "Role", "Since", "Change"]}>
          {people.map((user) => (
            <Row key={user.user_id} user={user} onToken={setToken} />
          ))}
        </Table>
      </Listing>
      <Teams users={people} />
      <ServiceAccounts />
    </div>
  );
}

interface RowProps {
  readonly user: User;
  readonly onToken: (token: string) => void;
}

function Row({ user: { user_id, name, role, created_at }, onToken }: RowProps) {
  const at = { params: { user_id } };
  const issue = async () => onToken((await client.call("issueTokens", at)).token);
  return (
    <tr>
      <td class="wide">{name}</td>
      <td>{roles[role]}</td>
      <td>
        <Ago at={created_at} />
      </td>
      <td>
        <span class="buttons">
          <RoleButton id={user_id} name={name} role={role} />
          <AskButton label="New token" title={`A token for ${name}?`} action="Issue it" act={issue} outdates="users">
            <p>Whoever has it acts as {name}.</p>
          </AskButton>
          <AskButton
            label="End access"
            title={`End all tokens and keys of ${name}?`}
            action="End them"
            isDangerous
            act={() => client.call("endTokens", at)}
            outdates="users"
          >
            <p>They are signed out everywhere; a new token lets them in again.</p>
          </AskButton>
          <AskButton
            label="Remove"
            title={`Remove ${name}?`}
            action="Remove them"
            isDangerous
            act={() => client.call("removeUser", at)}
            outdates="users"
          >
            <p>Tokens, keys and webhooks end. Projects stay, for administrators.</p>
          </AskButton>
        </span>
      </td>
    </tr>
  );
}

function RoleButton({ id, name, role }: { readonly id: string; readonly name: string; readonly role: Role }) {
  const [wanted, setWanted] = useState(role);
  return (
    <AskButton
      label="Role…"
      title={`The role of ${name}`}
      action="Change"
      act={() => client.call("changeUser", { params: { user_id: id }, body: { role: wanted } })}
      outdates="users"
    >
      <RoleSelect value={wanted} onChange={setWanted} />
    </AskButton>
  );
}

function CreateUser() {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("svc:user");
  return (
    <AskButton
      label="New user…"
      title="Create a user"
      action="Create them"
      act={() => client.call("createUser", { body: { name, role } })}
      outdates="users"
    >
      <label>
        Name or e-mail address
        <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <RoleSelect value={role} onChange={setRole} />
    </AskButton>
  );
}
