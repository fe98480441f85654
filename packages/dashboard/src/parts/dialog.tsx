import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { explain } from "../data/client.ts";

interface Props {
  readonly title: string;
  readonly action?: string;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  /** Does what the dialog asks about; it closes when that worked. */
  readonly onConfirm?: () => Promise<unknown>;
  readonly children?: ComponentChildren;
}

/** Asks before something happens, and says why it did not. */
export function Dialog({ title, action, isDangerous = false, onClose, onConfirm, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(() => element.current!.showModal(), []);
  const confirm = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onConfirm?.();
      onClose();
    } catch (thrown) {
      setError(explain(thrown));
      setBusy(false);
    }
  };
  return (
    <dialog ref={element} onClose={onClose} aria-label={title}>
      <form onSubmit={confirm}>
        <h2>{title}</h2>
        {children}
        {error !== "" && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        <div class="buttons">
          <button type="button" class="plain" onClick={onClose}>
            {action === undefined ? "Close" : "Back"}
          </button>
          {action !== undefined && (
            <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={isBusy}>
              {action}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
