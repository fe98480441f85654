import { useEffect, useState } from "preact/hooks";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];
const storedAt = "slipway-theme";

/** Switches between the system's theme, light and dark; the browser remembers. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((one) => one === localStorage.getItem(storedAt)) ?? "system",
  );
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(storedAt, theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  return (
    <button type="button" class="plain theme" onClick={() => setTheme(next)} title={`Switch to ${next}`}>
      Theme: {theme}
    </button>
  );
}
