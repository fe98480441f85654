import { maySee } from "./access.js";
import { docsPage } from "./docs-page.js";
import { openApiDocument } from "./openapi.js";
import { shown } from "./records.js";

/** What the service answers about itself. */
export function systemRoutes(context) {
  const { model, metrics } = context;
  const { health, openapi, docs, metrics: metricsPath, export: everything } = model.system;
  const get = (path, handle) => ({ method: "GET", path, handle });
  return [
    ...health.map((path) => ({ ...get(path, () => ({ body: { status: "ok" } })), isAlwaysOpen: true })),
    get(
      openapi,
      once(() => ({ text: JSON.stringify(openApiDocument(model)), type: "application/json; charset=utf-8" })),
    ),
    get(
      docs,
      once(() => docsPage(model)),
    ),
    get(metricsPath, () => ({ text: metrics.text, type: "text/plain; version=0.0.4; charset=utf-8" })),
    ...(everything === undefined ? [] : [get(everything, ({ actor }) => exportAll(context, actor))]),
  ];
}

/** What is the same for every request is made for the first. */
function once(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}

/** Everything that is stored and that the caller may read, by resource. */
function exportAll({ model, store }, actor) {
  const entries = model.resources.map((resource) => {
    const records = store.collection(resource.name).all();
    const seen = records.filter((record) => maySee(resource, actor, record));
    return [resource.name, seen.map((record) => shown(resource, record))];
  });
  return { body: { exported_at: new Date().toISOString(), resources: Object.fromEntries(entries) } };
}
