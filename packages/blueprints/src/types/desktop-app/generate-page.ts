import type { CompleteSpec } from "@slipway/spec";
import { html } from "../../kit/quote.ts";
import type { Menu } from "./read-menus.ts";

/** The window's page. Menus and their items are in the HTML, so they show before any script runs. */
export function generatePage(
  { description }: CompleteSpec,
  window: { title: string; hasSearch: boolean },
  menus: readonly Menu[],
): string {
  let count = 0;
  const item = ({ label, shortcut }: Menu["items"][number]) => {
    const key = shortcut === null ? "" : ` <kbd>${html(shortcut)}</kbd>`;
    count += 1;
    return `          <li><button type="button" data-item="${count - 1}">${html(label)}${key}</button></li>`;
  };
  const menu = ({ label, items }: Menu) => `      <details>
        <summary>${html(label)}</summary>
        <menu>
${items.map(item).join("\n")}
        </menu>
      </details>`;
  const search = '\n      <input id="search" type="search" aria-label="Search" placeholder="Search">';
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${html(description.replace(/\s+/g, " ").trim().slice(0, 300))}">
    <title>${html(window.title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/ui/style.css">
    <script type="module" src="/ui/main.js"></script>
  </head>
  <body>
    <header>
      <h1>${html(window.title)}</h1>
${menus.map(menu).join("\n")}${window.hasSearch ? search : ""}
    </header>
    <nav id="list" aria-label="List"></nav>
    <main id="detail"><noscript><p>This window needs JavaScript.</p></noscript></main>
    <footer id="status" role="status"></footer>
  </body>
</html>`;
}
