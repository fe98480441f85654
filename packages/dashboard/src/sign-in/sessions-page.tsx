import type { SignIn } from "@slipway/contract";
import { useEffect, useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { Ago } from "../parts/time.tsx";

/** Where one is signed in, newest first; each can be ended. */
export function SessionsPage() {
  const [sessions, setSessions] = useState<readonly SignIn[]>([]);
  const [error, setError] = useState("");
  const load = () =>
    client.call("listSessions", { query: { limit: 100 } }).then(
      (answer) => setSessions(answer.sessions),
      (thrown) => setError(explain(thrown)),
    );
  useEffect(() => void load(), []);
  const end = (session_id: string) =>
    client.call("endSession", { params: { session_id } }).then(load, (thrown) => setError(explain(thrown)));
  return (
    <div class="page">
      <h1>Where you are signed in</h1>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <ul class="sessions">
        {sessions.map((one) => (
          <li key={one.session_id}>
            <span>
              <strong>{one.kind === "browser" ? "Browser" : "Command line or program"}</strong>
              {one.is_current && " (this one)"}
              <br />
              <span class="faint">
                {one.device ?? "unknown device"}
                {one.address !== null && `, ${one.address}`}, since <Ago at={one.created_at} />
                {one.last_used_at !== null && (
                  <>
                    , last used <Ago at={one.last_used_at} />
                  </>
                )}
              </span>
            </span>
            {!one.is_current && (
              <button type="button" onClick={() => void end(one.session_id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
