import type { Answer } from "@slipway/client";
import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { Listing, Table } from "../parts/listing.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { KeyForm, type NewKey } from "./key-form.tsx";

type Key = Answer<"listApiKeys">["api_keys"][number];

/** The keys of one's programs. A key itself is shown once, when it is made. */
export function KeysPage() {
  useTitle("Keys");
  const [made, setMade] = useState("");
  const list = useList("keys/list", async (page) => {
    const { api_keys, next_cursor } = await client.call("listApiKeys", { query: page });
    return { items: api_keys, next: next_cursor };
  });
  const create = async (body: NewKey) => setMade((await client.call("createApiKey", { body })).api_key);
  return (
    <div class="page">
      <div class="title">
        <h1>Keys</h1>
        <div class="buttons">
          <KeyForm label="New key…" title="Create a key" create={create} outdates="keys" />
        </div>
      </div>
      {made !== "" && <ShownOnce value={made} what="The new key." />}
      <Listing list={list} empty={<p>No keys. A program signs in with one.</p>}>
        <Table label="Keys" head={["Name", "May", "Used", "Expires", "Change"]}>
          {list.items.map((key) => (
            <Row key={key.api_key_id} apiKey={key} onMade={setMade} />
          ))}
        </Table>
      </Listing>
    </div>
  );
}

interface RowProps {
  readonly apiKey: Key;
  readonly onMade: (key: string) => void;
}

function Row({ apiKey, onMade }: RowProps) {
  const { api_key_id, name, scopes, last_used_at, expires_at, revoked_at } = apiKey;
  const at = { params: { api_key_id } };
  const isOver = revoked_at !== null || Date.parse(expires_at) < Date.now();
  const rotate = async () => onMade((await client.call("rotateApiKey", { ...at, body: {} })).api_key);
  return (
    <tr>
      <td class="wide">{name}</td>
      <td class="wide faint">{scopes.join(", ")}</td>
      <td>{last_used_at === null ? <span class="faint">never</span> : <Ago at={last_used_at} />}</td>
      <td>{revoked_at === null ? <Ago at={expires_at} /> : <Chip tone="idle">revoked</Chip>}</td>
      <td>
        {!isOver && (
          <span class="buttons">
            <AskButton label="Rotate" title={`Replace ${name}?`} action="Replace" act={rotate} outdates="keys">
              <p>The old key keeps working for a day.</p>
            </AskButton>
            <AskButton
              label="Revoke"
              title={`Revoke ${name}?`}
              action="Revoke it"
              isDangerous
              act={() => client.call("revokeApiKey", at)}
              outdates="keys"
            >
              <p>Programs that use it are refused at once.</p>
            </AskButton>
          </span>
        )}
      </td>
    </tr>
  );
}
