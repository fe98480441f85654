import type { Answer } from "@slipway/client";
import type { Role } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { TablePart } from "../parts/table-part.tsx";
import { Ago } from "../parts/time.tsx";
import { KeyForm, type NewKey } from "./key-form.tsx";
import { RoleSelect, roles } from "./role-select.tsx";
import { ServiceKeys } from "./service-keys.tsx";
import { TeamSelect } from "./team-select.tsx";
import { useTeams } from "./use-teams.ts";

type Account = Answer<"listServiceAccounts">["service_accounts"][number];

/** Owners of keys who are no people, and so do not leave. */
export function ServiceAccounts() {
  const [made, setMade] = useState("");
  const list = useList("users/service-accounts", async (page) => {
    const { service_accounts, next_cursor } = await client.call("listServiceAccounts", { query: page });
    return { items: service_accounts, next: next_cursor };
  });
  return (
    <TablePart
      title="Service accounts"
      create={<CreateAccount />}
      notice={made !== "" && <ShownOnce value={made} what="The account's new key." />}
      list={list}
      empty="There are no service accounts. A pipeline works as one, whoever comes and goes."
      head={["Name", "Role", "Works for", "Keys", "Since", "Change"]}
    >
      {list.items.map((account) => (
        <Row key={account.user_id} account={account} onMade={setMade} />
      ))}
    </TablePart>
  );
}

interface RowProps {
  readonly account: Account;
  readonly onMade: (key: string) => void;
}

function Row({ account: { user_id, name, role, team_id, created_at }, onMade }: RowProps) {
  const { nameOf } = useTeams();
  const at = { params: { user_id } };
  const create = async (body: NewKey) => onMade((await client.call("createServiceKey", { ...at, body })).api_key);
  return (
    <tr>
      <td class="wide">{name}</td>
      <td>{roles[role]}</td>
      <td>{team_id === null ? "the installation" : nameOf(team_id)}</td>
      <td>
        <ServiceKeys id={user_id} />
      </td>
      <td>
        <Ago at={created_at} />
      </td>
      <td>
        <span class="buttons">
          <KeyForm label="New key…" title={`Create a key of ${name}`} create={create} outdates="users" />
          <AskButton
            label="Delete"
            title={`Delete the service account ${name}?`}
            action="Delete it"
            isDangerous
            act={() => client.call("removeUser", at)}
            outdates="users"
          >
            <p>Its keys end at once: programs that use them are refused.</p>
          </AskButton>
        </span>
      </td>
    </tr>
  );
}

function CreateAccount() {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("svc:user");
  const [team, setTeam] = useState("");
  return (
    <AskButton
      label="New service account…"
      title="Create a service account"
      action="Create it"
      act={() => client.call("createServiceAccount", { body: { name, role, ...(team !== "" && { team }) } })}
      outdates="users"
    >
      <label>
        Name
        <input
          required
          pattern="\S+"
          placeholder="release-pipeline"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <RoleSelect value={role} onChange={setRole} />
      <TeamSelect label="It works for" none="the installation" value={team} onChange={setTeam} />
    </AskButton>
  );
}
