import { refuseUnless } from "./access.js";
import { basketCookie, basketIn, linesOf, placeOrder, totalOf, withQuantity } from "./basket.js";
import { formContent, valuesOf } from "./form-page.js";
import { hidden } from "./forms.js";
import { html } from "./html.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";
import { mayDo } from "./page-access.js";
import { filled, nameOf } from "./show-value.js";
import { say } from "./texts.js";

/** The button that puts a record into the basket; where there is none left it says so. */
export function basketButton(visit, label, record) {
  const { site } = visit;
  const { path, stock } = site.basket;
  if (stock !== undefined && (record[stock] ?? 0) < 1) return html`<span class="none">${say(site, "sold_out")}</span> `;
  return html`<form method="post" action="${path}" class="actions">${hidden(visit)}<input type="hidden" name="add" value="${record.id}"><button type="submit">${label}</button></form> `;
}

/** What is in the basket, and the form that makes an order of it. */
export function basketRoutes({ context, page }) {
  return page.kind === "basket" ? basketPage(context, page) : checkoutPage(context, page);
}

function basketPage(context, page) {
  const show = (visit, { actor, headers }) => {
    const lines = linesOf(context, actor, basketIn(headers));
    const { site } = visit;
    const content = html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
${lines.length === 0 ? html`<p class="empty">${say(site, "basket_empty")}</p>` : html`${linesTable(context, visit, page, lines, true)}<p class="actions"><a class="button" href="${site.basket.checkout}">${say(site, "checkout")}</a></p>`}
`;
    return pageAnswer(visit, { title: page.title, content });
  };
  const change = (_visit, { body, headers }) => {
    const lines = basketIn(headers);
    const id = body.get("add") ?? body.get("set") ?? body.get("remove") ?? "";
    const known = lines.find((line) => line.id === id)?.quantity ?? 0;
    const wanted = body.has("add") ? known + 1 : body.has("remove") ? 0 : Number(body.get("quantity"));
    const isMeant = /^\d{1,15}$/.test(id) && Number.isSafeInteger(wanted) && wanted >= 0;
    const next = isMeant ? withQuantity(lines, id, wanted) : lines;
    return { status: 303, headers: { location: page.path, "set-cookie": basketCookie(next, headers) } };
  };
  return [
    { method: "GET", handle: show },
    { method: "POST", handle: change },
  ];
}

/** The lines of the basket and their sum; each can be changed where it says so. */
function linesTable({ model }, visit, page, lines, isOpen) {
  const { site } = visit;
  const resource = model.resources.find(({ name }) => name === site.basket.of);
  const detailPath = visit.pageOf("detail", resource.name)?.path;
  const heads = ["price", "quantity", "sum"].map((key) => say(site, key));
  const row = ({ record, quantity, price, sum }) => {
    const name = nameOf(record, resource, site.basket.title_field);
    const id = `quantity-${record.id}`;
    const count = isOpen
      ? html`<form method="post" class="actions">${hidden(visit)}<input type="hidden" name="set" value="${record.id}"><label class="unseen" for="${id}">${heads[1]}: ${name}</label><input id="${id}" name="quantity" type="number" min="0" max="999" value="${quantity}"><button type="submit" class="quiet">${say(site, "change")}</button></form><form method="post">${hidden(visit)}<input type="hidden" name="remove" value="${record.id}"><button type="submit" class="quiet">${say(site, "remove")}<span class="unseen">: ${name}</span></button></form>`
      : quantity;
    const title =
      detailPath === undefined ? name : html`<a href="${filled(detailPath, { id: record.id })}">${name}</a>`;
    return html`<tr><th scope="row">${title}</th><td data-label="${heads[0]}">${price}</td><td data-label="${heads[1]}">${count}</td><td data-label="${heads[2]}">${sum}</td></tr>
`;
  };
  return html`<table class="basket">
<caption class="unseen">${page.title}</caption>
<thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${lines.map(row)}</tbody>
<tfoot><tr><th scope="row" colspan="3">${heads[2]}</th><td>${totalOf(lines)}</td></tr></tfoot>
</table>
`;
}

/** For those who may not read their order: that it was placed, and by what to ask for it. */
function confirmation(visit, id) {
  const { site } = visit;
  const number = /^\d{1,15}$/.test(id) && html`<p role="status">${say(site, "order_number", { id })}</p>`;
  const content = html`${number}<p class="actions"><a class="button" href="/">${say(site, "back_to_start")}</a></p>`;
  return pageAnswer(visit, { title: say(site, "ordered"), content });
}

function checkoutPage(context, page) {
  const { model } = context;
  const resource = model.resources.find(({ name }) => name === model.site.basket.order);
  const answer = (visit, lines, { status = 200, values, problems }) => {
    const before = linesTable(context, visit, page, lines, false);
    const content = formContent(visit, { page, resource, values, problems, before });
    return pageAnswer(visit, { status, title: page.title, content });
  };
  const open = ({ actor, headers }) => {
    refuseUnless(resource.access.create, actor, { resource, what: "order" });
    return linesOf(context, actor, basketIn(headers));
  };
  const toBasket = { status: 303, headers: { location: model.site.basket.path } };
  const show = (visit, call) => {
    const lines = open(call);
    if (lines.length === 0 && call.query.has("ordered")) return confirmation(visit, call.query.get("ordered"));
    const values = Object.fromEntries(page.fields.map((name) => [name, resource.fields[name].default]));
    return lines.length === 0 ? toBasket : answer(visit, lines, { values });
  };
  const send = async (visit, call) => {
    const lines = open(call);
    const values = valuesOf(resource, page.fields, call.body);
    try {
      const order = await placeOrder(context, { values, actor: call.actor, basket: basketIn(call.headers) });
      const detail = visit.pageOf("detail", resource.name);
      const isSeen = detail !== undefined && mayDo(visit, resource, "read", order);
      const seen = isSeen ? detail.path : `${page.path}?ordered={id}`;
      const location = filled(page.next ?? seen, { id: order.id });
      return { status: 303, headers: { location, "set-cookie": basketCookie([], call.headers) } };
    } catch (error) {
      if (!(error instanceof HttpError) || ![400, 409, 422].includes(error.status)) throw error;
      return answer(visit, lines, { status: error.status, values, problems: error.fields ?? { "": error.message } });
    }
  };
  return [
    { method: "GET", handle: show },
    { method: "POST", handle: send },
  ];
}
