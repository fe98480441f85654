import { actionButtons } from "./action-buttons.js";
import { html } from "./html.js";
import { fieldOf, filled, labelOf, nameOf, shownValue } from "./show-value.js";
import { say } from "./texts.js";

/** A list of records: with a search, filters and an order where there are any, and pages where it is long. */
export function listContent(visit, { page, resource, detailPath, parameters, query, list }) {
  const { site } = visit;
  const { total, limit, offset } = list;
  const records = list[resource.list_key];
  const show = page.layout === "cards" ? recordCards : recordTable;
  const top = page.actions.filter(({ is_for_record: isForRecord }) => !isForRecord);
  return html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
<div class="actions">${actionButtons(visit, { actions: top, resource, parameters })}</div>
${queryForm(visit, { page, resource, query })}
${records.length === 0 ? html`<p class="empty">${page.empty ?? say(site, "empty")}</p>` : show(visit, { page, resource, records, detailPath, parameters, query })}
${total > 0 && html`<p class="count" role="status">${say(site, "count", { count: String(total) })}</p>`}
${pages(site, { query, total, limit, offset })}`;
}

function queryForm(visit, { page: { search, filters, sorts, sort }, resource, query }) {
  const { site } = visit;
  if (search.length + filters.length === 0) return undefined;
  const chosen = query.get("sort") ?? sort ?? "";
  const orders = sorts.flatMap((name) => {
    const label = labelOf(name, fieldOf(resource, name));
    return [
      [name, label],
      [`-${name}`, say(site, "descending", { name: label })],
    ];
  });
  return html`<form class="filters" method="get" role="search">
${search.length > 0 && html`<div class="field"><label for="q">${say(site, "search")}</label><input id="q" name="q" type="search" value="${query.get("q")}"></div>`}
${filters.map((name) => filterField(visit, name, fieldOf(resource, name), query.get(name)))}
${orders.length > 0 && html`<div class="field"><label for="sort">${say(site, "sort")}</label><select id="sort" name="sort">${choices([["", ""], ...orders], chosen)}</select></div>`}
<button type="submit">${say(site, "show")}</button>
</form>
`;
}

function filterField(visit, name, field, chosen) {
  const id = `filter-${name}`;
  const { site } = visit;
  const label = html`<label for="${id}">${labelOf(name, field)}</label>`;
  const options = filterChoices(visit, field);
  if (options === undefined) {
    const type = { date: "date", integer: "number", number: "number", time: "time" }[field?.type] ?? "text";
    return html`<div class="field">${label}<input id="${id}" name="${name}" type="${type}" value="${chosen}"></div>`;
  }
  return html`<div class="field">${label}<select id="${id}" name="${name}">${choices([["", say(site, "all")], ...options], chosen ?? "")}</select></div>`;
}

/** What can be chosen, where that is known. */
function filterChoices({ site, choicesOf }, field) {
  if (field?.type === "enum") return field.values.map((value) => [String(value), String(value)]);
  if (field?.type === "boolean")
    return [
      ["true", say(site, "yes")],
      ["false", say(site, "no")],
    ];
  return field?.type === "reference" ? choicesOf(field.to) : undefined;
}

export function choices(options, chosen) {
  return options.map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  );
}

/** A row for each record; on a phone each is a card. */
export function recordTable(visit, { page, resource, records, detailPath, parameters, query }) {
  const { columns, title } = page;
  const buttons = rowActions(page);
  const cell = (record, name, index) =>
    index > 0 || detailPath === undefined
      ? shownValue(visit, record[name], fieldOf(resource, name))
      : recordLink({ page, resource, record, detailPath, parameters, name });
  return html`<table>
<caption class="unseen">${title}</caption>
<thead><tr>${columns.map((name) => heading({ page, name, field: fieldOf(resource, name), query }))}${buttons.length > 0 && html`<td></td>`}</tr></thead>
<tbody>${records.map(
    (record) => html`
<tr>${columns.map((name, index) => html`<td data-label="${labelOf(name, fieldOf(resource, name))}">${cell(record, name, index)}</td>`)}${buttons.length > 0 && html`<td class="actions">${actionButtons(visit, { actions: buttons, resource, record, parameters })}</td>`}</tr>`,
  )}
</tbody>
</table>
`;
}

/** A heading sorts the list by its column; a second time, the other way round. */
function heading({ page: { sorts = [], sort }, name, field, query }) {
  const label = labelOf(name, field);
  if (query === undefined || !sorts.includes(name)) return html`<th scope="col">${label}</th>`;
  const current = query.get("sort") ?? sort;
  const state = { [name]: "ascending", [`-${name}`]: "descending" }[current];
  const target = new URLSearchParams(query);
  target.set("sort", current === name ? `-${name}` : name);
  target.delete("offset");
  return html`<th scope="col"${state && html` aria-sort="${state}"`}><a href="?${target}">${label}</a></th>`;
}

function recordCards(visit, { page, resource, records, detailPath, parameters }) {
  const { columns, image } = page;
  const [first, ...rest] = columns;
  const title = (record) =>
    detailPath === undefined
      ? shownValue(visit, record[first], fieldOf(resource, first))
      : recordLink({ page, resource, record, detailPath, parameters, name: first });
  return html`<ul class="cards">${records.map(
    (record) => html`
<li>${image && record[image] && html`<img src="${record[image]}" alt="" loading="lazy">`}<h2>${title(record)}</h2>
<dl>${rest.map((name) => html`<div><dt>${labelOf(name, fieldOf(resource, name))}</dt><dd>${shownValue(visit, record[name], fieldOf(resource, name))}</dd></div>`)}</dl>
<div class="actions">${actionButtons(visit, { actions: rowActions(page), resource, record, parameters })}</div></li>`,
  )}
</ul>
`;
}

function rowActions({ actions = [] }) {
  return actions.filter(({ is_for_record: isForRecord }) => isForRecord);
}

function recordLink({ page: { title_field: titleField }, resource, record, detailPath, parameters, name }) {
  const place = filled(detailPath, { ...parameters, id: record.id });
  const value = record[name];
  const isPlain = name !== titleField && ["string", "number"].includes(typeof value) && value !== "";
  return html`<a href="${place}">${isPlain ? value : nameOf(record, resource, titleField)}</a>`;
}

function pages(site, { query, total, limit, offset }) {
  if (total <= limit) return undefined;
  const link = (label, rel, to) => {
    const target = new URLSearchParams(query);
    target.set("offset", String(to));
    return html`<a rel="${rel}" href="?${target}">${label}</a> `;
  };
  return html`<nav class="pages" aria-label="${say(site, "pages")}">
${offset > 0 && link(say(site, "previous"), "prev", Math.max(0, offset - limit))}
${offset + limit < total && link(say(site, "next"), "next", offset + limit)}
</nav>
`;
}
