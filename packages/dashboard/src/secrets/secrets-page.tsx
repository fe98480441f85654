import type { Secret } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { isAdmin } from "../data/session.ts";
import { useList } from "../data/use-list.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { Listing, Table } from "../parts/listing.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";

/** The names of the secrets that documents may use. No value is ever shown. */
export function SecretsPage() {
  useTitle("Secrets");
  const list = useList("secrets/list", async (page) => {
    const { secrets, next_cursor } = await client.call("listSecrets", { query: page });
    return { items: secrets, next: next_cursor };
  });
  return (
    <div class="page">
      <div class="title">
        <h1>Secrets</h1>
        <div class="buttons">
          <SetSecret />
        </div>
      </div>
      <Listing list={list} empty={<p>No secrets. A document names those that its software needs.</p>}>
        <Table label="Secrets" head={["Name", "For", "Set", "Remove"]}>
          {list.items.map((secret) => (
            <Row key={`${secret.name} ${secret.is_shared}`} secret={secret} />
          ))}
        </Table>
      </Listing>
    </div>
  );
}

function Row({ secret: { name, is_shared, updated_at } }: { readonly secret: Secret }) {
  return (
    <tr>
      <td class="wide">
        <code>{name}</code>
      </td>
      <td>{is_shared ? "everybody's documents" : "your documents"}</td>
      <td>
        <Ago at={updated_at} />
      </td>
      <td>
        {(!is_shared || isAdmin()) && (
          <AskButton
            label="Remove"
            title={`Remove ${name}?`}
            action="Remove it"
            isDangerous
            act={() => client.call("removeSecret", { params: { name }, query: { shared: is_shared } })}
            outdates="secrets"
          >
            <p>Projects that need it fail from then on.</p>
          </AskButton>
        )}
      </td>
    </tr>
  );
}

function SetSecret() {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [shared, setShared] = useState(false);
  const set = async () => {
    await client.call("setSecret", { params: { name }, query: { shared }, body: { value } });
    setValue("");
  };
  return (
    <AskButton label="Set a secret…" title="Set a secret" action="Set it" act={set} outdates="secrets">
      <label>
        Name
        <input
          required
          placeholder="DATABASE_URL"
          spellcheck={false}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        Value
        <input
          type="password"
          required
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      {isAdmin() && (
        <label class="check">
          <input type="checkbox" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
          For the documents of every user
        </label>
      )}
    </AskButton>
  );
}
