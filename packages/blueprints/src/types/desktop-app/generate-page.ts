import type { CompleteSpec } from "@slipway/spec";
import { html } from "../../kit/quote.ts";
import { titleOf } from "../../kit/title.ts";
import type { Menu } from "./read-menus.ts";
import type { AppWindow } from "./read-windows.ts";

/** The page of each window, by its path. Menus and their items are in the HTML, so they show before any script runs. */
export function generatePages(
  document: CompleteSpec,
  windows: readonly AppWindow[],
  menus: readonly Menu[],
): ReadonlyMap<string, string> {
  const app = titleOf(document);
  const about = html(document.description.replace(/\s+/g, " ").trim().slice(0, 300));
  const bar = menusOf(menus);
  return new Map(windows.map((window) => [window.path, pageOf(app, window, windows, bar, about)]));
}

function pageOf(app: string, window: AppWindow, windows: readonly AppWindow[], menus: string, about: string): string {
  const link = ({ id, path, title }: AppWindow) =>
    `        <a href="${path}"${id === window.id ? ' aria-current="page"' : ""}>${html(title)}</a>`;
  const links = `\n      <nav aria-label="Windows">\n${windows.map(link).join("\n")}\n      </nav>`;
  const search = '\n      <input id="search" type="search" aria-label="Search" placeholder="Search">';
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${about}">
    <title>${html(window.title === app ? app : `${window.title} · ${app}`)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/ui/style.css">
    <script type="module" src="/ui/main.js"></script>
  </head>
  <body data-window="${html(window.id)}">
    <header>
      <h1>${html(windows.length > 1 ? app : window.title)}</h1>
${menus}${windows.length > 1 ? links : ""}${window.hasSearch ? search : ""}
    </header>
    <nav id="list" aria-label="List"></nav>
    <main id="detail"><noscript><p>This window needs JavaScript.</p></noscript></main>
    <footer id="status" role="status"></footer>
  </body>
</html>`;
}

function menusOf(menus: readonly Menu[]): string {
  let count = 0;
  const item = ({ label, shortcut }: Menu["items"][number]) => {
    const key = shortcut === undefined ? "" : ` <kbd>${html(shortcut)}</kbd>`;
    count += 1;
    return `          <li><button type="button" data-item="${count - 1}">${html(label)}${key}</button></li>`;
  };
  const menu = ({ label, items }: Menu) => `      <details name="menu">
        <summary>${html(label)}</summary>
        <menu>
${items.map(item).join("\n")}
        </menu>
      </details>`;
  return menus.map(menu).join("\n");
}
