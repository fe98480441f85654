import { useValue, Value } from "../data/value.ts";

export const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const storedAt = "slipway-theme";

/** The system's theme, light or dark; the browser remembers. */
export const theme = new Value<Theme>(themes.find((one) => one === localStorage.getItem(storedAt)) ?? "system");

const wear = () => {
  document.documentElement.dataset["theme"] = theme.get();
  localStorage.setItem(storedAt, theme.get());
};
theme.subscribe(wear);
wear();

/** Switches to the next theme. */
export function ThemeButton() {
  const current = useValue(theme);
  const next = themes[(themes.indexOf(current) + 1) % themes.length]!;
  return (
    <button type="button" class="plain theme" onClick={() => theme.set(next)} title={`Switch to ${next}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M8 2a6 6 0 0 0 0 12z" fill="currentColor" />
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.6" />
      </svg>
      <span>Theme: {current}</span>
    </button>
  );
}
