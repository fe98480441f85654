import type { Scope } from "@slipway/contract";
import { useState } from "preact/hooks";
import { session } from "../data/session.ts";
import { useValue } from "../data/value.ts";
import { AskButton } from "../parts/ask-button.tsx";

export interface NewKey {
  readonly name: string;
  readonly scopes: Scope[];
}

interface Props {
  readonly label: string;
  readonly title: string;
  readonly create: (key: NewKey) => Promise<unknown>;
  readonly outdates: string;
}

/** Asks for the name of a key and what it may do: at most what one may do oneself. */
export function KeyForm({ label, title, create, outdates }: Props) {
  const mine = useValue(session)?.scopes ?? [];
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(["projects:read"]));
  const toggle = (scope: Scope) => {
    const next = new Set(scopes);
    if (!next.delete(scope)) next.add(scope);
    setScopes(next);
  };
  const act = () => create({ name, scopes: [...scopes] });
  return (
    <AskButton label={label} title={title} action="Create it" act={act} outdates={outdates}>
      <label>
        Name
        <input
          required
          placeholder="Nightly build"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <fieldset>
        <legend>It may</legend>
        {mine.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
            {scope}
          </label>
        ))}
      </fieldset>
    </AskButton>
  );
}
