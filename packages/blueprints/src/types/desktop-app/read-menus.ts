import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { Unmet } from "../../plugin.ts";
import { type FileFormats, formatsIn } from "./read-files.ts";
import type { Entity } from "./read-records.ts";
import type { AppWindow } from "./read-windows.ts";

type Given = NonNullable<DocumentToBuild<"desktop-app">["menus"]>[number]["items"][number];

interface Keys {
  readonly key: string;
  readonly alt: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
}

interface Item {
  readonly label: string;
  readonly does: Given["does"];
  readonly of?: string;
  readonly format?: string;
  readonly window?: string;
  readonly confirm?: boolean;
  readonly keys?: Keys;
  readonly shortcut?: string;
}

export interface Menu {
  readonly label: string;
  readonly items: readonly Item[];
}

/** Reads the menus; without any, one with the usual items. What `export` and `import` say has items of its own. */
export function readMenus(
  document: DocumentToBuild<"desktop-app">,
  entities: readonly Entity[],
  windows: readonly AppWindow[],
  files: FileFormats,
  unmet: Unmet[],
): readonly Menu[] {
  const reader = new Items(entities, windows, unmet);
  const given = (document.menus ?? []).map(({ label, items }, at) => ({
    label,
    items: items.flatMap((item, index) => reader.read(item, `/menus/${at}/items/${index}`)),
  }));
  const first = windows[0]!.list.of;
  const menus = given.some(({ items }) => items.length > 0)
    ? given
    : [{ label: "File", items: usualItems(first, files) }];
  const data = fileItems(document, entities, menus);
  return data.length === 0 ? menus : [...menus, { label: "Data", items: data }];
}

function usualItems(entity: string, { exports }: FileFormats): readonly Item[] {
  return [
    { label: `New ${entity}`, does: "create", of: entity, ...keysOf("Alt+N") },
    ...(exports.includes("markdown")
      ? [{ label: "Export", does: "export", of: entity, format: "markdown" } as const]
      : []),
    { label: "Print", does: "print", ...keysOf("Alt+P") },
    { label: "Delete", does: "delete", confirm: true },
    { label: "Quit", does: "quit", ...keysOf("Alt+Q") },
  ];
}

/** An item for each kind of records and file that the document names and no menu has. */
function fileItems(
  document: DocumentToBuild<"desktop-app">,
  entities: readonly Entity[],
  menus: readonly Menu[],
): readonly Item[] {
  const has = (wanted: Partial<Item>) =>
    menus.some(({ items }) =>
      items.some(({ does, of, format }) => does === wanted.does && of === wanted.of && format === wanted.format),
    );
  const all = entities.flatMap(({ name, file }): Item[] => [
    ...formatsIn(document.export).map((format) => ({
      ...{ label: `Export ${file} as ${format.toUpperCase()}`, does: "export" as const },
      ...{ of: name, format },
    })),
    ...(formatsIn(document.import).length > 0 ? [{ label: `Import ${file}`, does: "import" as const, of: name }] : []),
  ]);
  return all.filter((item) => !has(item));
}

class Items {
  readonly #entities: readonly Entity[];
  readonly #windows: readonly AppWindow[];
  readonly #unmet: Unmet[];
  readonly #taken = new Set<string>();

  constructor(entities: readonly Entity[], windows: readonly AppWindow[], unmet: Unmet[]) {
    this.#entities = entities;
    this.#windows = windows;
    this.#unmet = unmet;
  }

  /** The item; none if there is nothing that it could do. */
  read(item: Given, pointer: string): readonly Item[] {
    const { label, does } = item;
    const refuse = (place: string, reason: string) => this.#unmet.push({ pointer: pointer + place, reason });
    const wanted =
      does === "open_window" || does === "quit" || does === "focus_search" || does === "print" ? undefined : item.of;
    const of = this.#entities.find(({ name }) => name === wanted)?.name;
    if (wanted !== undefined && of === undefined) {
      refuse("/of", "Nothing of this name is kept.");
      return [];
    }
    if (does === "create" && of !== undefined && !this.#windows.some(({ list }) => list.of === of)) {
      refuse("/of", `No window lists ${of}.`);
      return [];
    }
    const opened = does === "open_window" ? this.#windows.find(({ id }) => id === item.window) : undefined;
    if (does === "open_window" && opened === undefined) {
      refuse("/window", "There is no such window.");
      return [];
    }
    return [
      {
        label,
        does,
        ...((does === "export" || does === "import") && { of: of ?? this.#windows[0]!.list.of }),
        ...((does === "create" || does === "delete") && of !== undefined && { of }),
        ...(does === "export" && { format: item.format ?? "markdown" }),
        ...(does === "delete" && { confirm: item.confirm ?? true }),
        ...(opened !== undefined && { window: opened.id }),
        ...this.#keys(item.shortcut, refuse),
      },
    ];
  }

  #keys(shortcut: string | undefined, refuse: (place: string, reason: string) => void) {
    if (shortcut === undefined) return {};
    const found = keysOf(shortcut);
    const written = JSON.stringify(found.keys);
    if (this.#taken.has(written)) {
      refuse("/shortcut", "Another item has these keys.");
      return {};
    }
    this.#taken.add(written);
    return found;
  }
}

function keysOf(shortcut: string): { readonly keys: Keys; readonly shortcut: string } {
  const parts = shortcut.toLowerCase().split("+");
  const key = parts.pop()!;
  const has = (...names: readonly string[]) => names.some((name) => parts.includes(name));
  return { keys: { key, alt: has("alt"), ctrl: has("ctrl", "cmd"), shift: has("shift") }, shortcut };
}
