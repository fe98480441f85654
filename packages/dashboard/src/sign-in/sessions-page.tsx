import type { SignIn } from "@slipway/contract";
import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { ActButton } from "../parts/act-button.tsx";
import { Listing } from "../parts/listing.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";

/** Where one is signed in, newest first; each can be ended. */
export function SessionsPage() {
  useTitle("Sign-ins");
  const list = useList("sessions/list", async (page) => {
    const { sessions, next_cursor } = await client.call("listSessions", { query: page });
    return { items: sessions, next: next_cursor };
  });
  return (
    <div class="page">
      <h1>Where you are signed in</h1>
      <Listing list={list} empty={<p>Nobody is signed in as you.</p>}>
        <ul class="sessions">
          {list.items.map((one) => (
            <Row key={one.session_id} session={one} />
          ))}
        </ul>
      </Listing>
    </div>
  );
}

function Row({ session }: { readonly session: SignIn }) {
  const { session_id, kind, is_current, device, address, created_at, last_used_at } = session;
  return (
    <li>
      <span>
        <strong>{kind === "browser" ? "Browser" : "Command line or program"}</strong>
        {is_current && " (this one)"}
        <br />
        <span class="faint">
          {device ?? "unknown device"}
          {address !== null && `, ${address}`}, since <Ago at={created_at} />
          {last_used_at !== null && (
            <>
              , last used <Ago at={last_used_at} />
            </>
          )}
        </span>
      </span>
      {!is_current && (
        <ActButton
          label="End"
          act={() => client.call("endSession", { params: { session_id } })}
          outdates="sessions/list"
        />
      )}
    </li>
  );
}
