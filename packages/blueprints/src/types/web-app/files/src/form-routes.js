import { mayByRole } from "./access.js";
import { formContent, valuesOf } from "./form-page.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";
import { mayDo } from "./page-access.js";
import { nextPath, operationsOf, seeOther } from "./page-operations.js";
import { say } from "./texts.js";

/** The pages with a form: for a new record, and for one that is there. */
export function formRoutes(setting) {
  const { context, page, resource } = setting;
  const operate = operationsOf(context, resource);
  const defaults = Object.fromEntries(Object.entries(resource.fields).map(([name, field]) => [name, field.default]));
  return formPair(setting, {
    valuesBefore: (_visit, { query }) => ({ ...defaults, ...suggested(page, resource, query) }),
    check: (visit) => refuseUnlessMay(visit, resource, "create"),
    submit: async (visit, { parameters, actor }, body) => {
      const { body: record } = await operate("POST", { parameters, body, actor });
      return seeOther(nextPath(visit, { page, resource, parameters: { ...parameters, id: record.id } }));
    },
  });
}

/** A link to a form may bring values with it: `/bookings/new?room_id=3`. */
function suggested(page, resource, query) {
  const names = page.fields.filter((name) => query.has(name) && resource.fields[name].type !== "password");
  return valuesOf(resource, names, query);
}

export function editRoutes(setting) {
  const { context, page, resource } = setting;
  const operate = operationsOf(context, resource);
  return formPair(setting, {
    valuesBefore: (_visit, { parameters, actor }) => operate("GET", { parameters, actor }).body,
    check: (visit, values) => refuseUnlessMay(visit, resource, "change", values),
    submit: async (visit, { parameters, actor }, body) => {
      await operate("PATCH", { parameters, body, actor });
      return seeOther(nextPath(visit, { page, resource, parameters }));
    },
  });
}

function refuseUnlessMay(visit, resource, operation, record) {
  if (mayDo(visit, resource, operation, record)) return;
  if (visit.actor === undefined) throw new HttpError(401, "unauthorized", say(visit.site, "log_in_first"));
  throw new HttpError(403, "forbidden", say(visit.site, "not_allowed"));
}

/** A form is shown with GET and sent with POST; what was wrong is shown with it again. */
function formPair({ page, resource }, { valuesBefore, check, submit }) {
  const answer = (visit, shownPage, rest) =>
    pageAnswer(visit, {
      ...rest,
      title: page.title,
      content: formContent(visit, { page: shownPage, resource, ...rest }),
    });
  const show = (visit, call) => {
    const values = valuesBefore(visit, call);
    check(visit, values);
    return answer(visit, fillable(visit, page, resource), { values });
  };
  const send = async (visit, call) => {
    const shownPage = fillable(visit, page, resource);
    const values = valuesOf(resource, shownPage.fields, call.body);
    try {
      return await submit(visit, call, page.kind === "edit" ? withoutBlankPasswords(resource, values) : values);
    } catch (error) {
      if (!(error instanceof HttpError) || ![400, 409, 422].includes(error.status)) throw error;
      return answer(visit, shownPage, {
        status: error.status,
        values,
        problems: error.fields ?? { "": error.message },
      });
    }
  };
  return [
    { method: "GET", handle: show },
    { method: "POST", handle: send },
  ];
}

/** A role, what is reserved and what actions set are asked for only where the visitor may choose them. */
function fillable(visit, page, resource) {
  const may = (who) => mayDo(visit, { ...resource, access: { choose: who } }, "choose");
  const mayGive = may(resource.access.change.filter(isRole));
  const isAsked = (name) => {
    if (resource.fields[name].is_role && !mayGive) return false;
    if (resource.fields[name].is_reserved && !mayByRole(resource.access.change, visit.actor)) return false;
    return Object.values(resource.actions).every(({ sets, access }) => !Object.hasOwn(sets, name) || may(access));
  };
  const submit = page.submit ?? say(visit.site, "save");
  return { ...page, submit, fields: page.fields.filter(isAsked) };
}

const isRole = (word) => !["anyone", "signed_in", "owner"].includes(word);

/** A password that is left empty stays as it is. */
function withoutBlankPasswords({ fields }, values) {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => fields[name].type !== "password" || value !== null),
  );
}
