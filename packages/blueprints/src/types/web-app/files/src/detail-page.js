import { actionButtons } from "./action-buttons.js";
import { html } from "./html.js";
import { recordTable } from "./list-page.js";
import { fieldOf, filled, labelOf, shownValue } from "./show-value.js";
import { say } from "./texts.js";

/** One record, field by field, with what can be done with it and what belongs to it. */
export function detailContent(visit, { page, resource, record, parameters, listPath, related }) {
  return html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
${page.image && record[page.image] && html`<img class="picture" src="${record[page.image]}" alt="">`}
<dl class="${page.layout}">${page.fields.map(
    (name) => html`
<div><dt>${labelOf(name, fieldOf(resource, name))}</dt><dd>${shownValue(visit, record[name], fieldOf(resource, name))}</dd></div>`,
  )}
</dl>
<div class="actions">${actionButtons(visit, { actions: page.actions, resource, record, parameters })}</div>
${related.map(
  ({ title, page: list, resource: other, records, ...place }) => html`<section><h2>${title}</h2>
${records.length === 0 ? html`<p class="empty">${say(visit.site, "empty")}</p>` : recordTable(visit, { page: list, resource: other, records, ...place })}</section>
`,
)}
${listPath && html`<p><a href="${filled(listPath, parameters)}">${say(visit.site, "back_to_list")}</a></p>`}
`;
}
