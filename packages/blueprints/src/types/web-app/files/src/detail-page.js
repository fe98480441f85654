import { html } from "./html.js";
import { filled, labelOf, shownValue } from "./show-value.js";

/** One record, field by field, with what can be done with it. */
export function detailContent({ page, resource, record, parameters, listPath }) {
  const { fields, actions } = page;
  return html`
<dl>${fields.map(
    (name) => html`
<dt>${labelOf(name, resource.fields[name])}</dt><dd>${shownValue(record[name], resource.fields[name])}</dd>`,
  )}
</dl>
<p class="actions">${actions.map(({ label, to, does }) => html`<a class="button${does === "delete" && " danger"}" href="${filled(to, parameters)}">${label}</a> `)}</p>
${listPath && html`<p><a href="${filled(listPath, parameters)}">Back to the list</a></p>`}
`;
}

/** Asks before something is gone. */
export function deleteContent({ back }) {
  return html`
<p>This cannot be taken back.</p>
<form method="post" class="actions">
<button type="submit" class="danger">Yes, delete it</button>
<a class="button quiet" href="${back}">No, keep it</a>
</form>
`;
}
