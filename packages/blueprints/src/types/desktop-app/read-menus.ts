import type { CompleteSpec } from "@slipway/spec";
import { type Fields, fieldsOf, listOf, textOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";

const known = ["create", "export", "quit", "focus_search", "delete"];

export interface Menu {
  readonly label: string;
  readonly items: readonly (Fields & { readonly label: string; readonly shortcut: string | null })[];
}

/** Reads the menus; without any, one with default items. */
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
  const defaults = [
    item(`New ${entity}`, "create", "Alt+N"),
    item("Export", "export"),
    item("Delete", "delete"),
    item("Quit", "quit", "Alt+Q"),
  ];
  return [{ label: "File", items: defaults }];
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
