import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { may, signOut } from "../data/session.ts";
import { theme, themes } from "../design/theme.tsx";
import { type TabName, tabHref, tabNames } from "../project/tab-names.ts";
import { placesFor } from "../routing/places.ts";
import { navigate } from "../routing/router.tsx";

interface Choice {
  readonly name: string;
  readonly kind: string;
  readonly act: () => void;
}

const maxProjects = 8;

interface Props {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Goes anywhere by a few letters: pages, the tabs of a project, projects by name or id, and what every page can do. */
export function CommandPalette({ onClose, onHelp }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => element.current!.showModal(), []);
  const choices = useChoices(text, onHelp);
  const chosen = Math.min(at, choices.length - 1);
  useEffect(
    () => element.current!.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }),
    [chosen],
  );
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    choice.act();
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
        aria-label="A page, a project or a command"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={chosen >= 0 ? `choice-${chosen}` : undefined}
        placeholder="A page, a project or a command"
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
            key={`${choice.kind} ${index}`}
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

function useChoices(text: string, onHelp: () => void): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  const isSearched = wanted !== "" && may("projects:read");
  const { data } = useQuery(isSearched ? `palette/${wanted}` : undefined, () =>
    client.call("listProjects", { query: { q: wanted, limit: maxProjects } }),
  );
  const known = [...tabsHere(), ...pages(), ...commands(onHelp)];
  return [
    ...known.filter(({ name }) => name.toLowerCase().includes(wanted)),
    ...(data?.projects ?? []).map(({ name, project_id, status }) => ({
      name,
      kind: status,
      act: () => navigate(`/projects/${project_id}`),
    })),
  ];
}

/** The parts of the project whose page is open. */
function tabsHere(): readonly Choice[] {
  const id = /^\/projects\/([^/]+)/.exec(location.pathname)?.[1];
  if (id === undefined) return [];
  return (Object.keys(tabNames) as TabName[]).map((tab) => ({
    name: tabNames[tab],
    kind: "of this project",
    act: () => navigate(tabHref(id, tab)),
  }));
}

function pages(): readonly Choice[] {
  return placesFor().map(({ name, href }) => ({ name, kind: "page", act: () => navigate(href) }));
}

function commands(onHelp: () => void): readonly Choice[] {
  return [
    ...themes.map((one) => ({ name: `Theme: ${one}`, kind: "command", act: () => theme.set(one) })),
    { name: "Keyboard shortcuts", kind: "command", act: onHelp },
    { name: "Sign out", kind: "command", act: () => void signOut() },
  ];
}
