import { hidden } from "./forms.js";
import { html } from "./html.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";
import { nextPath, operationsOf, seeOther } from "./page-operations.js";
import { filled, nameOf } from "./show-value.js";
import { say } from "./texts.js";

export function deleteRoutes(setting) {
  return confirmPair(setting, "cannot_undo", async (operate, visit, { parameters, actor }) => {
    const { page, resource } = setting;
    await operate("DELETE", { parameters, actor });
    return seeOther(filled(visit.pageOf("list", resource.name, page.area)?.path ?? "/", parameters));
  });
}

export function actRoutes(setting) {
  const { page, resource } = setting;
  return confirmPair(setting, "sure", async (operate, visit, { parameters, actor }) => {
    await operate("POST", { parameters, body: {}, actor }, page.action);
    return seeOther(nextPath(visit, { page, resource, parameters }));
  });
}

/** Asks with GET, and does it with POST. */
function confirmPair({ context, page, resource }, question, submit) {
  const operate = operationsOf(context, resource);
  const show = (visit, { parameters, actor }, problem) => {
    const { body: record } = operate("GET", { parameters, actor });
    const content = confirmContent(visit, {
      question: say(visit.site, question),
      problem,
      back: nextPath(visit, { page, resource, parameters }),
    });
    const status = problem === undefined ? 200 : 409;
    return pageAnswer(visit, {
      status,
      title: `${page.title}: ${nameOf(record, resource, page.title_field)}`,
      content,
    });
  };
  const send = async (visit, call) => {
    try {
      return await submit(operate, visit, call);
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 409) throw error;
      return show(visit, call, error.message);
    }
  };
  return [
    { method: "GET", handle: (visit, call) => show(visit, call) },
    { method: "POST", handle: send },
  ];
}

/** Asks before something is done. */
function confirmContent(visit, { question, problem, back }) {
  const { site } = visit;
  return html`
${problem && html`<div class="problems" role="alert"><p>${problem}</p></div>`}
<p>${question}</p>
<form method="post" class="actions">${hidden(visit)}
<button type="submit" class="danger">${say(site, "confirm")}</button>
<a class="button quiet" href="${back}">${say(site, "cancel")}</a>
</form>
`;
}
