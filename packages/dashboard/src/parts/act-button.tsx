import { useState } from "preact/hooks";
import { explain } from "../data/client.ts";
import { outdate } from "../data/query-cache.ts";

interface Props {
  readonly label: string;
  readonly act: () => Promise<unknown>;
  /** The keys to read again. */
  readonly outdates: string;
  readonly class?: string;
}

/** A command that needs no question, because another takes it back. A refusal stands beside it. */
export function ActButton({ label, act, outdates, ...rest }: Props) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const press = async () => {
    setBusy(true);
    setError("");
    await act().catch((thrown) => setError(explain(thrown)));
    outdate(outdates);
    setBusy(false);
  };
  return (
    <>
      <button type="button" class={rest.class} onClick={() => void press()} disabled={isBusy}>
        {label}
      </button>
      {error !== "" && (
        <span class="error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
