import { html } from "./html.js";
import { filled, labelOf, nameOf, shownValue } from "./show-value.js";

/** A list of records: with a search and filters where there are any, and pages where it is long. */
export function listContent({ page, resource, detailPath, parameters, query, list }) {
  const { intro, actions, empty } = page;
  const { total, limit, offset } = list;
  const items = list[resource.list_key];
  return html`
${intro && html`<p class="intro">${intro}</p>`}
<p class="actions">${actions.map(({ label, to }) => html`<a class="button" href="${filled(to, parameters)}">${label}</a> `)}</p>
${(page.search.length > 0 || page.filters.length > 0) && filterForm(page, resource, query)}
${items.length === 0 ? html`<p class="empty">${empty}</p>` : table({ page, resource, detailPath, parameters, items })}
${pages({ query, total, limit, offset })}`;
}

function filterForm({ search, filters }, { fields }, query) {
  return html`<form class="filters" method="get" role="search">
${search.length > 0 && html`<div class="field"><label for="q">Search</label><input id="q" name="q" type="search" value="${query.get("q")}"></div>`}
${filters.map((name) => filterField(name, fields[name], query.get(name)))}
<button type="submit">Show</button>
</form>
`;
}

function filterField(name, field, chosen) {
  const id = `filter-${name}`;
  const label = html`<label for="${id}">${labelOf(name, field)}</label>`;
  if (field?.type !== "enum")
    return html`<div class="field">${label}<input id="${id}" name="${name}" value="${chosen}"></div>`;
  const options = field.values.map(
    (value) => html`<option${String(value) === chosen && html` selected`}>${value}</option>`,
  );
  return html`<div class="field">${label}<select id="${id}" name="${name}"><option value="">all</option>${options}</select></div>`;
}

function table({ page: { columns, title, title_field: titleField }, resource, detailPath, parameters, items }) {
  const { fields } = resource;
  const cell = (record, name, index) => {
    if (index > 0 || detailPath === undefined) return shownValue(record[name], fields[name]);
    const place = filled(detailPath, { ...parameters, id: record.id });
    return html`<a href="${place}">${columns[0] === titleField ? nameOf(record, resource, titleField) : record[name]}</a>`;
  };
  return html`<table>
<caption class="unseen">${title}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${labelOf(name, fields[name])}</th>`)}</tr></thead>
<tbody>${items.map(
    (record) => html`
<tr>${columns.map((name, index) => html`<td data-label="${labelOf(name, fields[name])}">${cell(record, name, index)}</td>`)}</tr>`,
  )}
</tbody>
</table>
`;
}

function pages({ query, total, limit, offset }) {
  if (total <= limit) return undefined;
  const link = (label, to) => {
    const target = new URLSearchParams(query);
    target.set("offset", String(to));
    return html`<a href="?${target}">${label}</a> `;
  };
  return html`<nav class="pages" aria-label="Pages">
${offset > 0 && link("Earlier", Math.max(0, offset - limit))}
${offset + limit < total && link("Later", offset + limit)}
</nav>
`;
}
