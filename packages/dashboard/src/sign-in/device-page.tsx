import type { DeviceLogin } from "@slipway/contract";
import { useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useAddress } from "../routing/router.tsx";

/** Lets a command line in as whoever is signed in here: it shows a code, which is compared or typed. */
export function DevicePage() {
  const [code, setCode] = useState(useAddress().searchParams.get("code") ?? "");
  const [device, setDevice] = useState<DeviceLogin>();
  const [message, setMessage] = useState("");
  const attempt = (work: () => Promise<void>) => {
    setMessage("");
    work().catch((thrown) => setMessage(explain(thrown)));
  };
  const find = (event: Event) => {
    event.preventDefault();
    attempt(async () => setDevice(await client.call("readDeviceLogin", { params: { user_code: code.trim() } })));
  };
  const decide = (decision: "approve" | "deny") =>
    attempt(async () => {
      await client.call("decideDeviceLogin", { params: { user_code: device!.user_code }, body: { decision } });
      setDevice(undefined);
      setCode("");
      setMessage(decision === "approve" ? "It is logged in. You can close this page." : "It was refused.");
    });
  return (
    <div class="center sign-in">
      <h1>Log a command line in</h1>
      {message !== "" && <p role="status">{message}</p>}
      {device === undefined ? (
        <form onSubmit={find}>
          <label>
            The code that it shows
            <input
              autocomplete="off"
              spellcheck={false}
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="primary" disabled={code.trim() === ""}>
            Continue
          </button>
        </form>
      ) : (
        <>
          <p>
            <strong>{device.device || "A program"}</strong> at {device.address} wants to do everything that you may do.
            Let it in only if you have just started it yourself and it shows <code>{device.user_code}</code>.
          </p>
          <p class="providers">
            <button type="button" class="primary" onClick={() => decide("approve")}>
              Let it in
            </button>
            <button type="button" onClick={() => decide("deny")}>
              Refuse
            </button>
          </p>
        </>
      )}
    </div>
  );
}
