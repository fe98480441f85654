import { deleteContent, detailContent } from "./detail-page.js";
import { formContent, valuesOf } from "./form-page.js";
import { html } from "./html.js";
import { HttpError, readText } from "./http.js";
import { pageAnswer } from "./layout.js";
import { listContent } from "./list-page.js";
import { resourceRoutes } from "./resource-routes.js";
import { filled, nameOf } from "./show-value.js";

/** The pages that people use. What they do to records goes through the routes of the API. */
export function pageRoutes(context) {
  const { model } = context;
  const { site } = model;
  const pageOf = (kind, resource) => model.pages.find((page) => page.kind === kind && page.resource === resource)?.path;
  return model.pages.flatMap((page) => {
    if (page.kind === "text") return [textRoute(site, page)];
    const resource = model.resources.find(({ name }) => name === page.resource);
    if (resource === undefined) return [];
    const setting = { site, page, resource, operate: operationsOf(context, resource), pageOf };
    return { list: listRoutes, form: formRoutes, edit: editRoutes, detail: detailRoutes, delete: deleteRoutes }[
      page.kind
    ](setting);
  });
}

/** What can be done with a resource, by method: of the collection, and of a record where there is an id. */
function operationsOf(context, resource) {
  const routes = resourceRoutes(context, resource);
  return (method, call) => {
    const path = call.parameters.id === undefined ? resource.path : `${resource.path}/{id}`;
    return routes.find((route) => route.method === method && route.path === path).handle(call);
  };
}

function textRoute(site, { path, title, texts }) {
  const content = html`${texts.map((text) => html`<p>${text}</p>\n`)}`;
  return { method: "GET", path, handle: () => pageAnswer({ site, title, content }) };
}

function listRoutes({ site, page, resource, operate, pageOf }) {
  const handle = ({ parameters, query, actor }) => {
    const { body: list } = operate("GET", { parameters, query, actor });
    const content = listContent({
      page,
      resource,
      detailPath: pageOf("detail", resource.name),
      parameters,
      query,
      list,
    });
    return pageAnswer({ site, title: page.title, content });
  };
  return [{ method: "GET", path: page.path, handle }];
}

function formRoutes(setting) {
  const { site, page, resource, operate, pageOf } = setting;
  const defaults = Object.fromEntries(Object.entries(resource.fields).map(([name, field]) => [name, field.default]));
  return formPair(page, {
    show: () => pageAnswer({ site, title: page.title, content: formContent({ page, resource, values: defaults }) }),
    submit: async ({ parameters, values, actor }) => {
      const { body: record } = await operate("POST", { parameters, body: values, actor });
      const next = pageOf("detail", resource.name) ?? pageOf("list", resource.name) ?? page.path;
      return seeOther(filled(next, { ...parameters, id: record.id }));
    },
    setting,
  });
}

function editRoutes(setting) {
  const { site, page, resource, operate, pageOf } = setting;
  return formPair(page, {
    show: ({ parameters, actor }) => {
      const { body: values } = operate("GET", { parameters, actor });
      return pageAnswer({ site, title: page.title, content: formContent({ page, resource, values }) });
    },
    submit: async ({ parameters, values, actor }) => {
      await operate("PATCH", { parameters, body: values, actor });
      return seeOther(filled(pageOf("detail", resource.name) ?? page.path, parameters));
    },
    setting,
  });
}

/** A form is shown with GET and sent with POST; what was wrong is shown with it again. */
function formPair(page, { show, submit, setting: { site, resource } }) {
  const handle = async ({ parameters, body: form, actor }) => {
    const values = valuesOf(resource, page.fields, form);
    try {
      return await submit({ parameters, values, actor });
    } catch (error) {
      if (!(error instanceof HttpError) || ![400, 409, 422].includes(error.status)) throw error;
      const problems = error.fields ?? { [page.fields[0]]: error.message };
      const content = formContent({ page, resource, values, problems });
      return pageAnswer({ site, status: error.status, title: page.title, content });
    }
  };
  return [
    { method: "GET", path: page.path, handle: show },
    { method: "POST", path: page.path, readBody: readForm, handle },
  ];
}

function detailRoutes({ site, page, resource, operate, pageOf }) {
  const handle = ({ parameters, actor }) => {
    const { body: record } = operate("GET", { parameters, actor });
    const content = detailContent({ page, resource, record, parameters, listPath: pageOf("list", resource.name) });
    return pageAnswer({ site, title: nameOf(record, resource, page.title_field), content });
  };
  return [{ method: "GET", path: page.path, handle }];
}

function deleteRoutes({ site, page, resource, operate, pageOf }) {
  const show = ({ parameters, actor }) => {
    const { body: record } = operate("GET", { parameters, actor });
    const title = `${page.title}: ${nameOf(record, resource, page.title_field)}`;
    return pageAnswer({
      site,
      title,
      content: deleteContent({ back: filled(pageOf("detail", resource.name) ?? "/", parameters) }),
    });
  };
  const remove = async ({ parameters, actor }) => {
    await operate("DELETE", { parameters, actor });
    return seeOther(filled(pageOf("list", resource.name) ?? "/", parameters));
  };
  return [
    { method: "GET", path: page.path, handle: show },
    { method: "POST", path: page.path, readBody: readForm, handle: remove },
  ];
}

function seeOther(location) {
  return { status: 303, headers: { location } };
}

/** A form as a browser sends it; one that was sent from another site is refused. */
async function readForm(request, limitBytes) {
  const text = await readText(request, limitBytes);
  const { origin, host } = request.headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
    throw new HttpError(403, "forbidden", "This form was sent from another site.");
  return new URLSearchParams(text);
}
