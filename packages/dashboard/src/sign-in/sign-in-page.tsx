import type { SignInProvider } from "@slipway/contract";
import { useEffect, useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { beginSignIn, signIn, signInError } from "../data/session.ts";
import { useValue } from "../data/value.ts";

/** How to get in: with a provider of the operator's, by a fresh link from the command line, or with a key. */
export function SignInPage() {
  const [credential, setCredential] = useState("");
  const error = useValue(signInError);
  const setError = (message: string) => signInError.set(message);
  const submit = async (event: Event) => {
    event.preventDefault();
    setError("");
    await signIn(credential.trim()).catch((thrown) => setError(explain(thrown)));
  };
  return (
    <main class="center sign-in">
      <h1>Sign in to Slipway</h1>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <Providers onError={setError} />
      <p>
        On the machine of the service, run <code>slipway open</code> and follow the link it prints. A link works once,
        for ten minutes.
      </p>
      <form onSubmit={submit}>
        <label>
          Or paste an API key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={credential}
            onInput={(event) => setCredential(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={credential.trim() === ""}>
          Sign in
        </button>
      </form>
    </main>
  );
}

/** A button for each provider; nothing where the operator has declared none. */
function Providers({ onError }: { readonly onError: (message: string) => void }) {
  const [providers, setProviders] = useState<readonly SignInProvider[]>([]);
  useEffect(() => {
    void client.call("listSignInProviders").then(
      (answer) => setProviders(answer.providers),
      () => undefined,
    );
  }, []);
  if (providers.length === 0) return null;
  return (
    <p class="providers">
      {providers.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          class="primary"
          onClick={() => void beginSignIn(name).catch((thrown) => onError(explain(thrown)))}
        >
          Sign in with {label}
        </button>
      ))}
    </p>
  );
}
