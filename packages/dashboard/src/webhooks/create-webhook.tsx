import { useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { AskButton } from "../parts/ask-button.tsx";

/** Registers a webhook for all events; which ones, and of which project, can be changed by the API. */
export function CreateWebhook() {
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const [description, setDescription] = useState("");
  const body = { url, events: ["*" as const], secret, ...(description !== "" && { description }) };
  return (
    <AskButton
      label="New webhook…"
      title="Register a webhook"
      action="Register"
      act={() => client.call("createWebhook", { body })}
      outdates="webhooks"
    >
      <label>
        Address
        <input
          type="url"
          required
          placeholder="https://hooks.example.com/slipway"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </label>
      <label>
        Secret that signs the bodies, at least 16 characters
        <input
          type="password"
          required
          minLength={16}
          autocomplete="off"
          value={secret}
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
      </label>
      <label>
        Purpose
        <input value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
    </AskButton>
  );
}
