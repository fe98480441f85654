import { sixDigits } from "../../kit/colour.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { titleOf } from "../../kit/title.ts";

export interface Install {
  readonly shortName: string;
  readonly display: string;
  readonly orientation: string;
  readonly theme: string;
  readonly ground: string;
  readonly letter: string;
  readonly shape: string;
  readonly sizes: readonly number[];
  readonly darkMode: "always" | "auto" | "never";
  readonly targetPx: number;
}

/** Reads how the app looks, on a home screen and opened. */
export function readInstall(document: DocumentToBuild<"mobile-app">): Install {
  const { icon = {}, ...install } = readOf(document.install);
  const { theme } = document;
  const { dark_mode: darkMode = "never", target_px: targetPx = 48 } =
    typeof theme === "string" ? { dark_mode: theme } : (theme ?? {});
  const name = titleOf(document).trim();
  return {
    shortName: (install.short_name ?? name).slice(0, 60),
    display: install.display ?? "standalone",
    orientation: install.orientation ?? "any",
    theme: sixDigits((install.theme_color ?? "#2f5d8a").toLowerCase()),
    ground: sixDigits((install.background_color ?? "#ffffff").toLowerCase()),
    letter: [...(icon.letter ?? name)][0]!.toUpperCase(),
    shape: icon.shape ?? "square",
    sizes: [...new Set(icon.sizes?.map((size) => size) ?? [])],
    darkMode,
    targetPx,
  };
}

/** What is read here, key by key: a copy of the whole would count as read. */
function readOf(install: DocumentToBuild<"mobile-app">["install"] = {}) {
  const { short_name, display, orientation, theme_color, background_color, icon } = install;
  return { short_name, display, orientation, theme_color, background_color, icon };
}
