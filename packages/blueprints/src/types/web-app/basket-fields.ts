import type { FieldModel, ResourceModel } from "../api/model.ts";
import type { BasketModel, PageModel } from "./model.ts";

/** The resources, with what the basket works out marked as that: a price that is sent is never taken. */
export function withComputed(
  resources: readonly ResourceModel[],
  basket: BasketModel | undefined,
): readonly ResourceModel[] {
  if (basket === undefined) return resources;
  const { order, total, items, item_price: itemPrice } = basket;
  return resources.map((resource) => {
    if (resource.name === order && total !== undefined) return withField(resource, total, { computed: sumOf(basket) });
    if (resource.name !== items) return resource;
    const counted = withField(resource, "quantity", quantityOf(resource));
    if (itemPrice === undefined) return counted;
    return withField(counted, itemPrice, { computed: { copies: priceOf(basket) } });
  });
}

/**
 * Fewer than none, or nobody knows how many, would make an order cheaper: only a document that says so allows it, by `min`
 * or by the records that it begins with.
 */
function quantityOf({ fields, seed }: ResourceModel): Partial<FieldModel> {
  const begun = seed.map((record) => record["quantity"] ?? fields["quantity"]?.default);
  const known = begun.filter((value) => typeof value === "number");
  const min = fields["quantity"]?.min ?? Math.min(1, ...known);
  return { min, ...(known.length === begun.length && { required: true }) };
}

function sumOf(basket: BasketModel): NonNullable<FieldModel["computed"]> {
  const { items, item_order: by, item_price: itemPrice, price } = basket;
  const sums = { of: items, by, quantity: "quantity" };
  if (itemPrice !== undefined) return { sums: { ...sums, price: itemPrice } };
  return { sums: { ...sums, price, via: { from: basket.item_record, of: basket.of } } };
}

function priceOf({ item_record: from, of, price: field }: BasketModel) {
  return { from, of, field };
}

/**
 * The resources, with what no buyer is asked for about an order reserved for those who may change every order, such as
 * its state. Where anyone may change orders there is nobody to reserve it for, and what actions set is guarded by them.
 */
export function withReserved(
  resources: readonly ResourceModel[],
  basket: BasketModel | undefined,
  pages: readonly PageModel[],
): readonly ResourceModel[] {
  return resources.map((resource) => {
    if (resource.name !== basket?.order || resource.access.change.includes("anyone")) return resource;
    const asked = new Set(pages.flatMap((page) => askedBy(page, resource)));
    const isOpen = (name: string) => {
      const { is_owner: isOwner, computed } = resource.fields[name]!;
      return asked.has(name) || isOwner === true || computed !== undefined || isSetByAction(resource, name);
    };
    const names = Object.keys(resource.fields).filter((name) => !isOpen(name));
    return names.reduce((marked, name) => withField(marked, name, { is_reserved: true }), resource);
  });
}

/** The fields of an order that a page asks buyers for. */
function askedBy(page: PageModel, { name }: ResourceModel): readonly string[] {
  if (page.kind === "checkout") return page.fields;
  const isForm = page.kind === "form" || page.kind === "edit";
  return isForm && page.resource === name ? page.fields : [];
}

function isSetByAction({ actions }: ResourceModel, name: string): boolean {
  return Object.values(actions).some(({ sets }) => Object.hasOwn(sets, name));
}

function withField(resource: ResourceModel, name: string, more: Partial<FieldModel>): ResourceModel {
  return { ...resource, fields: { ...resource.fields, [name]: { ...resource.fields[name]!, ...more } } };
}
