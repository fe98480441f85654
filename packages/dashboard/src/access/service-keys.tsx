import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { AskButton } from "../parts/ask-button.tsx";
import { Ago } from "../parts/time.tsx";

/** The keys of a service account that work. */
export function ServiceKeys({ id }: { readonly id: string }) {
  const { data, error } = useQuery(`users/service-accounts/${id}`, () =>
    client.call("listServiceKeys", { params: { user_id: id }, query: { limit: 100 } }),
  );
  if (data === undefined) return <span class="faint">{error === undefined ? "Loading…" : explain(error)}</span>;
  const live = data.api_keys.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > Date.now(),
  );
  if (live.length === 0) return <span class="faint">none</span>;
  return (
    <ul>
      {live.map(({ api_key_id, name, scopes, last_used_at }) => (
        <li key={api_key_id} title={scopes.join(", ")}>
          {name},{" "}
          <span class="faint">
            {last_used_at === null ? (
              "never used"
            ) : (
              <>
                used <Ago at={last_used_at} />
              </>
            )}
          </span>{" "}
          <AskButton
            label="Revoke"
            title={`Revoke ${name}?`}
            action="Revoke it"
            isDangerous
            act={() => client.call("revokeApiKey", { params: { api_key_id } })}
            outdates="users"
          >
            <p>Programs that use it are refused at once.</p>
          </AskButton>
        </li>
      ))}
    </ul>
  );
}
