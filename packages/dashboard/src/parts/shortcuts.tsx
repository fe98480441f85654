import { useEffect, useRef } from "preact/hooks";
import { placesFor } from "../routing/places.ts";
import { navigate } from "../routing/router.tsx";
import { Dialog } from "./dialog.tsx";

const keys = [
  ["Ctrl K", "go to a page or a project, or give a command"],
  ["/", "search"],
  ["n", "new project"],
  ["j k", "next and previous project in the list"],
  ["?", "show this help"],
] as const;

interface Actions {
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

const sequenceMs = 1_500;

/** Keys that work wherever nobody types. */
export function useShortcuts({ onHelp, onPalette }: Actions): void {
  const goSince = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.composedPath()[0] as Element;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onPalette();
        return;
      }
      const isTyping = target.matches("input, textarea, select, dialog *, [contenteditable] *, [contenteditable]");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = placesFor().find(({ key }) => key === event.key);
      const isSecond = performance.now() - goSince.current < sequenceMs;
      goSince.current = !isSecond && event.key === "g" ? performance.now() : 0;
      if (isSecond && place !== undefined) navigate(place.href);
      else if (event.key === "?") onHelp();
      else if (event.key === "n") navigate("/new");
      else if (event.key === "/") document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
      else if (event.key === "j" || event.key === "k") focusProject(event.key === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function focusProject(step: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".project-name a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  links[Math.max(0, at + step)]?.focus();
}

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const all = [...keys, ...placesFor().map(({ key, name }) => [`g ${key}`, name] as const)];
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="facts">
        {all.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
