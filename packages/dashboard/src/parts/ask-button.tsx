import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { outdate } from "../data/query-cache.ts";
import { Dialog } from "./dialog.tsx";

interface Props {
  readonly label: string;
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly act: () => Promise<unknown>;
  readonly outdates: string;
  readonly children: ComponentChildren;
}

/** A button that asks before it acts. */
export function AskButton({ label, title, action, isDangerous = false, act, outdates, children }: Props) {
  const [isAsked, setAsked] = useState(false);
  const confirm = async () => {
    await act();
    outdate(outdates);
  };
  return (
    <>
      <button type="button" class={isDangerous ? "danger" : ""} onClick={() => setAsked(true)}>
        {label}
      </button>
      {isAsked && (
        <Dialog
          title={title}
          action={action}
          isDangerous={isDangerous}
          onClose={() => setAsked(false)}
          onConfirm={confirm}
        >
          {children}
        </Dialog>
      )}
    </>
  );
}
