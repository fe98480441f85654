import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { html } from "../../kit/quote.ts";
import { type Fields, fieldsOf, listOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import type { Entity } from "./model.ts";

/** The window: a list on the left, and what is chosen in it on the right. */
export function readWindow(document: CompleteSpec, entities: readonly Entity[], unmet: Unmet[]) {
  const windows = listOf(fieldsOf(document)["windows"]).map(fieldsOf);
  const given = windows[0] ?? {};
  for (const index of windows.keys())
    if (index > 0) unmet.push({ pointer: `/windows/${index}`, reason: "There is one window." });
  unmet.push(
    ...unknownKeys(
      given,
      ["id", "title", "width", "height", "min_width", "layout", "list", "detail"],
      "/windows/0",
      "a window",
    ),
  );
  if (given["layout"] !== undefined && given["layout"] !== "list-and-detail")
    unmet.push({ pointer: "/windows/0/layout", reason: "A window is a list with what is chosen in it." });
  const list = fieldsOf(given["list"]);
  if (list["order_by"] !== undefined && list["order_by"] !== "newest")
    unmet.push({ pointer: "/windows/0/list/order_by", reason: "The newest come first." });
  const entity = entities.find(({ name }) => name === list["of"]) ?? entities[0]!;
  if (list["of"] !== undefined && list["of"] !== entity.name)
    unmet.push({
      pointer: "/windows/0/list/of",
      reason: `Nothing of this name is kept; the window lists ${entity.name}.`,
    });
  for (const other of entities)
    if (other !== entity)
      unmet.push({
        pointer: `/data_model/${pointerPart(other.name)}`,
        reason: "It has no window, only its API.",
      });
  const names = entity.fields.map(({ name }) => name);
  const column = (value: unknown) => names.find((name) => name === value);
  const fields = textsOf(fieldsOf(given["detail"])["fields"]).filter((name) => names.includes(name));
  return {
    title: textOf(given["title"], document.name.trim() === "" ? document.id : document.name),
    width: wholeOf(given["width"], 1000, { min: 200, max: 10_000 }),
    height: wholeOf(given["height"], 700, { min: 150, max: 10_000 }),
    minWidth: wholeOf(given["min_width"], 320, { min: 100, max: 10_000 }),
    hasSearch: list["search"] !== false,
    empty: "Nothing here yet.",
    list: {
      of: entity.name,
      title: column(list["title"]) ?? entity.titleField,
      detail: column(list["detail"]) ?? null,
    },
    detail: { fields: fields.length > 0 ? fields : names },
  };
}

const known = ["create", "export", "quit", "focus_search", "delete"];

export interface Menu {
  readonly label: string;
  readonly items: readonly (Fields & { readonly label: string; readonly shortcut: string | null })[];
}

export function readMenus(document: CompleteSpec, entity: string, unmet: Unmet[]): readonly Menu[] {
  const given = fieldsOf(document)["menus"];
  const menus = listOf(given).map((value, at) => {
    const menu = fieldsOf(value);
    const items = listOf(menu["items"]).flatMap((one, index) => {
      const item = fieldsOf(one);
      const pointer = `/menus/${at}/items/${index}`;
      if (!known.includes(String(item["does"]))) {
        unmet.push({ pointer, reason: `Items of a menu do ${known.join(", ")}.` });
        return [];
      }
      if (item["of"] !== undefined && item["of"] !== entity)
        unmet.push({ pointer: `${pointer}/of`, reason: `It is done to ${entity}.` });
      const format = item["format"];
      if (format !== undefined && format !== "markdown" && format !== "json")
        unmet.push({ pointer: `${pointer}/format`, reason: "Exports are Markdown or JSON; this one is Markdown." });
      return [itemOf(item, pointer, unmet)];
    });
    return { label: textOf(menu["label"], "Menu"), items };
  });
  if (menus.some(({ items }) => items.length > 0)) return menus;
  const item = (label: string, does: string, shortcut: string | null = null) =>
    itemOf({ label, does, shortcut }, "", []);
  const usual = [
    item(`New ${entity}`, "create", "Alt+N"),
    item("Export", "export"),
    item("Delete", "delete"),
    item("Quit", "quit", "Alt+Q"),
  ];
  return [{ label: "File", items: usual }];
}

function itemOf(item: Fields, pointer: string, unmet: Unmet[]) {
  const shortcut = typeof item["shortcut"] === "string" ? item["shortcut"] : null;
  const keys = shortcut === null ? null : keysOf(shortcut);
  if (shortcut !== null && keys === null)
    unmet.push({ pointer: `${pointer}/shortcut`, reason: "Such keys are not known; Alt+N are." });
  return {
    label: textOf(item["label"], String(item["does"])),
    does: String(item["does"]),
    ...(item["does"] === "export" && { format: item["format"] === "json" ? "json" : "markdown" }),
    ...(item["does"] === "delete" && { confirm: item["confirm"] !== false }),
    keys,
    shortcut: keys === null ? null : shortcut,
  };
}

function keysOf(shortcut: string) {
  const parts = shortcut.toLowerCase().split("+");
  const key = parts.pop()!;
  const isKnown =
    parts.length > 0 && parts.every((part) => ["alt", "ctrl", "cmd", "shift"].includes(part)) && /^[a-z\d]$/.test(key);
  if (!isKnown) return null;
  return {
    key,
    alt: parts.includes("alt"),
    ctrl: parts.includes("ctrl") || parts.includes("cmd"),
    shift: parts.includes("shift"),
  };
}

/** The page in the window. Menus and their items are there before any script has run. */
export function pageOf(
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
