import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { may } from "../data/session.ts";
import { placesFor } from "../routing/places.ts";
import { navigate } from "../routing/router.tsx";

interface Choice {
  readonly name: string;
  readonly kind: string;
  readonly href: string;
}

const maxProjects = 8;

/** Goes anywhere by a few letters: pages, and projects by name or id. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => element.current!.showModal(), []);
  const choices = useChoices(text);
  const chosen = Math.min(at, choices.length - 1);
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    navigate(choice.href);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(choices.length - 1, chosen + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, chosen - 1));
    else if (event.key === "Enter") go(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={element} class="palette" onClose={onClose} aria-label="Go to">
      <input
        role="combobox"
        aria-label="A page or a project"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={chosen >= 0 ? `choice-${chosen}` : undefined}
        placeholder="A page or a project"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="choices" role="listbox" aria-label="Choices" tabIndex={-1}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
          <div
            key={choice.href}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(choice)}
          >
            <span class="ellipsis">{choice.name}</span>
            <span class="faint">{choice.kind}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}

function useChoices(text: string): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  const isSearched = wanted !== "" && may("projects:read");
  const { data } = useQuery(isSearched ? `palette/${wanted}` : undefined, () =>
    client.call("listProjects", { query: { q: wanted, limit: maxProjects } }),
  );
  const pages = placesFor().filter(({ name }) => name.toLowerCase().includes(wanted));
  return [
    ...pages.map(({ name, href }) => ({ name, href, kind: "page" })),
    ...(data?.projects ?? []).map(({ name, project_id, status }) => ({
      name,
      href: `/projects/${project_id}`,
      kind: status,
    })),
  ];
}
