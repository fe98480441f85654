import type { AuditCheck } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { Listing, Table } from "../parts/listing.tsx";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { setQuery, useAddress } from "../routing/router.tsx";

const filters = { actor: "Who", action: "Action, such as project.*", target: "Id of what was changed" } as const;

/** Who changed what, newest first, and whether somebody changed the log itself. */
export function AuditPage() {
  useTitle("Audit");
  const { searchParams } = useAddress();
  const chosen = Object.keys(filters).flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const list = useList(`audit/${JSON.stringify(chosen)}`, async (page) => {
    const query = { ...page, ...Object.fromEntries(chosen), limit: 50 };
    const { entries, next_cursor } = await client.call("listAudit", { query });
    return { items: entries, next: next_cursor };
  });
  return (
    <div class="page">
      <div class="title">
        <h1>Audit</h1>
        <search class="filters">
          {Object.entries(filters).map(([name, label]) => (
            <input
              key={name}
              type="search"
              aria-label={label}
              placeholder={label}
              value={searchParams.get(name) ?? ""}
              onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
            />
          ))}
        </search>
        <ChainCheck />
      </div>
      <Listing list={list} empty={<p>No such change.</p>}>
        <Table label="Changes" head={["When", "Who", "Action", "What", "From", "Details"]}>
          {list.items.map(({ id, at, actor_name, action, target, address, detail }) => (
            <tr key={id}>
              <td>
                <Ago at={at} />
              </td>
              <td>{actor_name}</td>
              <td>{action}</td>
              <td class="wide">
                <code>{target}</code>
              </td>
              <td class="faint">{address}</td>
              <td class="wide faint">{Object.keys(detail).length > 0 && <code>{JSON.stringify(detail)}</code>}</td>
            </tr>
          ))}
        </Table>
      </Listing>
    </div>
  );
}

function ChainCheck() {
  const [result, setResult] = useState<AuditCheck | string>("");
  const check = async () => {
    setResult("Checking…");
    let after = 0;
    for (;;) {
      const part = await client.call("checkAudit", { query: { after } });
      if (!part.has_more || !part.is_intact || part.last === null) return setResult(part);
      after = part.last.position;
    }
  };
  const press = () => check().catch((error) => setResult(explain(error)));
  return (
    <span class="buttons">
      <button type="button" onClick={() => void press()}>
        Check the chain
      </button>
      <span role="status">
        {typeof result === "string" ? (
          result
        ) : (
          <Chip tone={result.is_intact ? "good" : "bad"}>
            {result.is_intact ? `Intact up to ${result.last?.position ?? 0}` : (result.problem ?? "Changed")}
          </Chip>
        )}
      </span>
    </span>
  );
}
