import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { fieldsOf, listOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import type { Entity } from "./read-entities.ts";

/** Reads the window: a list on the left, and the chosen record on the right. */
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
    title: textOf(given["title"], titleOf(document)),
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
