import { maySee } from "./access.js";
import { rounded } from "./computed.js";
import { cookie, cookieIn } from "./cookies.js";
import { HttpError } from "./http.js";
import { accept } from "./records.js";
import { withReferences } from "./references.js";
import { refuseBroken } from "./rules.js";
import { say } from "./texts.js";

const maxLines = 100;
const maxQuantity = 999;
const lifeSeconds = 30 * 24 * 3600;

/** What is in the basket of whoever sends a request: ids and how many. Prices never come from there. */
export function basketIn(headers) {
  const lines = (cookieIn(headers, "basket") ?? "").split(".").map((line) => /^(\d{1,15})-(\d{1,3})$/.exec(line));
  return lines
    .filter((line) => line !== null && line[2] !== "0")
    .slice(0, maxLines)
    .map(([, id, quantity]) => ({ id, quantity: Number(quantity) }));
}

/** The basket with as many of something; with none of it, it is taken out. */
export function withQuantity(lines, id, quantity) {
  const isKnown = lines.some((line) => line.id === id);
  const wanted = Math.min(maxQuantity, quantity);
  const changed = isKnown
    ? lines.map((line) => (line.id === id ? { id, quantity: wanted } : line))
    : [...lines, { id, quantity: wanted }];
  return changed.filter(({ quantity: count }) => count > 0).slice(0, maxLines);
}

export function basketCookie(lines, headers) {
  const value = lines.map(({ id, quantity }) => `${id}-${quantity}`).join(".");
  return cookie({ name: "basket", value, maxAgeSeconds: value === "" ? 0 : lifeSeconds }, headers);
}

/** The lines of the basket with their records, as the store has them now; what is gone is left out. */
export function linesOf({ model, store }, actor, basket) {
  const { of, price } = model.site.basket;
  const resource = model.resources.find(({ name }) => name === of);
  return basket.flatMap(({ id, quantity }) => {
    const record = store.collection(of).get(id);
    if (record === undefined || !maySee(resource, actor, record)) return [];
    return [{ record, quantity, price: record[price] ?? 0, sum: rounded((record[price] ?? 0) * quantity) }];
  });
}

export function totalOf(lines) {
  return rounded(lines.reduce((total, { sum }) => total + sum, 0));
}

/** Makes an order of the basket: the order, its lines, and less in stock, all together or not at all. */
export async function placeOrder(context, { values, actor, basket }) {
  const { model, store } = context;
  const {
    order,
    items,
    total,
    stock,
    of,
    item_order: itemOrder,
    item_record: itemRecord,
    item_price: itemPrice,
  } = model.site.basket;
  const contextOf = (name) => {
    const resource = model.resources.find((one) => one.name === name);
    return { ...context, resource, records: store.collection(name) };
  };
  const [orders, lines, goods] = [contextOf(order), contextOf(items), contextOf(of)];
  const accepted = accept(orders.resource, values);
  const insert = (target, record) => {
    const at = new Date().toISOString();
    const whole = { ...withReferences(target, record), created_at: at, updated_at: at };
    refuseBroken(target, whole, undefined);
    return target.records.insert(whole);
  };
  return store.change(() => {
    const found = linesOf(context, actor, basket);
    if (found.length === 0) throw new HttpError(409, "conflict", say(model.site, "basket_empty"));
    const made = insert(orders, {
      ...accepted,
      ...ownerOf(orders.resource, actor),
      ...(total !== undefined && { [total]: totalOf(found) }),
    });
    for (const { record, quantity, price } of found) {
      takeFromStock(goods, model.site, stock, record, quantity);
      const line = { [itemOrder]: made.id, [itemRecord]: record.id, quantity };
      insert(lines, {
        ...line,
        ...(itemPrice !== undefined && { [itemPrice]: price }),
        ...ownerOf(lines.resource, actor),
      });
    }
    return made;
  });
}

function takeFromStock({ resource, records }, site, stock, { id }, quantity) {
  if (stock === undefined) return;
  // As it is now: a basket may name something twice.
  const record = records.get(id);
  const left = record[stock] ?? 0;
  if (left < quantity) {
    const name = String(record[site.basket.title_field] ?? `${resource.title} ${record.id}`);
    throw new HttpError(409, "conflict", say(site, "not_enough", { count: String(left), name }));
  }
  records.replace({ ...record, [stock]: left - quantity, updated_at: new Date().toISOString() });
}

function ownerOf({ owner, fields }, actor) {
  return owner === undefined || fields[owner]?.is_owner !== true ? {} : { [owner]: actor?.account?.id ?? null };
}
