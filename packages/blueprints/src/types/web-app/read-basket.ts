import type { Unmet } from "../../plugin.ts";
import type { FieldModel, ResourceModel } from "../api/model.ts";
import type { BasketModel, PageModel } from "./model.ts";
import { readAccess } from "./read-access-words.ts";
import { readFormFields, referenceTo } from "./read-page-fields.ts";
import { fieldLayout, introOf, type Keys, type Reading } from "./read-pages.ts";
import { resourceNamed, titleFieldOf } from "./titles.ts";

/** Reads which resources and fields the basket works with; undefined, and reported, where one is missing. */
export function readBasket(keys: Keys, resources: readonly ResourceModel[], unmet: Unmet[]): BasketModel | undefined {
  const { basket, pages = [] } = keys;
  if (basket === undefined) return undefined;
  const { of, order, items, price, stock, total } = basket;
  const find = (key: "of" | "order" | "items") => {
    const found = resourceNamed(resources, basket[key]);
    if (found === undefined)
      unmet.push({ pointer: `/basket/${key}`, reason: `There is no '${basket[key]}' in 'data_model'.` });
    return found;
  };
  const [goods, orders, lines] = [find("of"), find("order"), find("items")];
  if (goods === undefined || orders === undefined || lines === undefined) return undefined;
  const missing = [
    ...missingField(goods, price, isNumber, "/basket/price", "a number"),
    ...missingField(goods, stock, isWhole, "/basket/stock", "an integer"),
    ...missingField(orders, total, isNumber, "/basket/total", "a number"),
    ...missingField(lines, "quantity", isWhole, "/basket/items", "an integer"),
    ...unfilled(lines, goods, orders),
  ];
  const itemOrder = referenceTo(lines, orders.name);
  const itemRecord = referenceTo(lines, goods.name);
  for (const [field, word] of [
    [itemOrder, order],
    [itemRecord, of],
  ] as const)
    if (field === undefined)
      missing.push({ pointer: "/basket/items", reason: `'${items}' needs a reference to '${word}'.` });
  if (missing.length > 0 || itemOrder === undefined || itemRecord === undefined) {
    unmet.push(...missing);
    return undefined;
  }
  const pathOf = (kind: string) => pages.find((page) => page.kind === kind)?.path;
  return {
    path: pathOf("basket") ?? "/basket",
    checkout: pathOf("checkout") ?? "/checkout",
    of: goods.name,
    title_field: titleFieldOf(keys, goods),
    price,
    ...(stock !== undefined && { stock }),
    order: orders.name,
    ...(total !== undefined && { total }),
    items: lines.name,
    item_order: itemOrder,
    item_record: itemRecord,
    ...(isNumber(lines.fields["price"]) && { item_price: "price" }),
  };
}

const isWhole = (field: FieldModel | undefined) => field?.type === "integer";
const isNumber = (field: FieldModel | undefined) => field?.type === "integer" || field?.type === "number";

function missingField(
  { title, fields }: ResourceModel,
  name: string | undefined,
  fits: (field: FieldModel | undefined) => boolean,
  pointer: string,
  what: string,
): Unmet[] {
  if (name === undefined || (Object.hasOwn(fields, name) && fits(fields[name]))) return [];
  return [{ pointer, reason: `'${title}' needs a field '${name}' that is ${what}.` }];
}

/** A line of an order has only what the basket knows: nobody is asked for more. */
function unfilled({ title, fields, parent }: ResourceModel, goods: ResourceModel, orders: ResourceModel): Unmet[] {
  const known = ["quantity", "price"];
  const names = Object.keys(fields).filter((name) => {
    const { required, default: fallback, to } = fields[name]!;
    const isKnown = known.includes(name) || to === goods.name || to === orders.name || parent?.field === name;
    return required === true && fallback === undefined && !isKnown;
  });
  return names.map((name) => ({
    pointer: "/basket/items",
    reason: `Nobody fills in '${name}' of '${title}', which is required.`,
  }));
}

/** The pages of the basket: what is in it, and the form for an order. */
export function basketPages(reading: Reading, basket: BasketModel | undefined): readonly PageModel[] {
  const { keys, texts, resources, unmet } = reading;
  const written = (keys.pages ?? []).map((page, index) => ({ page, pointer: `/pages/${index}` }));
  const own = written.find(({ page }) => page.kind === "basket");
  const checkout = written.find(({ page }) => page.kind === "checkout");
  const orders = resources.find(({ name }) => name === basket?.order);
  if (basket === undefined || orders === undefined) {
    for (const { pointer } of [own, checkout].filter((found) => found !== undefined))
      unmet.push({ pointer, reason: "There is no 'basket': say what can be put into it." });
    return [];
  }
  const usual = Object.keys(orders.fields).filter((name) => isAskedAtCheckout(orders, name));
  const fields = checkout && readFormFields(reading, checkout.page.fields, orders, `${checkout.pointer}/fields`);
  for (const name of usual.filter((one) => orders.fields[one]!.required === true && fields?.includes(one) === false))
    unmet.push({
      pointer: `${checkout!.pointer}/fields`,
      reason: `'${name}' is required: every order would be refused.`,
    });
  return [
    {
      path: basket.path,
      kind: "basket",
      title: own?.page.title ?? texts.basket,
      ...(own && introOf(own.page)),
      ...(own && readAccess(reading, own.page.access, `${own.pointer}/access`)),
    },
    {
      path: basket.checkout,
      kind: "checkout",
      title: checkout?.page.title ?? texts.checkout,
      ...(checkout && introOf(checkout.page)),
      ...(checkout && readAccess(reading, checkout.page.access, `${checkout.pointer}/access`)),
      layout: checkout === undefined ? "stacked" : fieldLayout(reading, checkout.page, checkout.pointer),
      fields: fields ?? usual,
      submit: checkout?.page.submit ?? texts.order,
      ...(checkout?.page.next !== undefined && { next: checkout.page.next }),
    },
  ];
}

/** What the basket, the service or a default gives is not asked for. */
function isAskedAtCheckout({ fields }: ResourceModel, name: string): boolean {
  const { is_owner: isOwner, computed, default: fallback } = fields[name]!;
  return computed === undefined && isOwner !== true && fallback === undefined;
}
