import { detailContent } from "./detail-page.js";
import { pageAnswer } from "./layout.js";
import { listContent } from "./list-page.js";
import { mayDo } from "./page-access.js";
import { operationsOf } from "./page-operations.js";
import { shown } from "./records.js";
import { nameOf } from "./show-value.js";

/** The pages that show records: lists of them, and each. */
export function listRoutes({ context, page, resource }) {
  const { where = {}, sort, search, filters, page_size: pageSize } = page;
  const listed = {
    ...resource,
    search,
    filters: [...new Set([...filters, ...Object.keys(where)])],
    sort: [...new Set([...resource.sort, ...page.sorts])],
    page_size: pageSize,
    ...(sort !== undefined && { order: sort }),
  };
  const operate = operationsOf(context, listed);
  const handle = (visit, { parameters, query, actor }) => {
    const asked = queryOf(query, where, actor);
    const { body: list } = operate("GET", { parameters, query: asked, actor });
    const detailPath = visit.pageOf("detail", resource.name, page.area)?.path;
    const content = listContent(visit, { page, resource, detailPath, parameters, query, list });
    return pageAnswer(visit, { title: page.title, content });
  };
  return [{ method: "GET", handle }];
}

/** What the page shows only is asked for as well; a filter that was left empty is none. */
function queryOf(query, where, actor) {
  const asked = new URLSearchParams([...query].filter(([name, value]) => value !== "" && !Object.hasOwn(where, name)));
  for (const [name, value] of Object.entries(where))
    asked.set(name, value === "me" ? String(actor?.account?.id ?? 0) : String(value));
  return asked;
}

export function detailRoutes({ context, page, resource }) {
  const operate = operationsOf(context, resource);
  const handle = (visit, { parameters, actor }) => {
    const { body: record } = operate("GET", { parameters, actor });
    const related = page.related.flatMap((list) => relatedList(context, visit, page, list, record, parameters));
    const listPath = visit.pageOf("list", resource.name, page.area)?.path;
    const content = detailContent(visit, { page, resource, record, parameters, listPath, related });
    const title = resource.is_single ? page.title : nameOf(record, resource, page.title_field);
    return pageAnswer(visit, { title, content });
  };
  return [{ method: "GET", handle }];
}

const maxRelated = 100;

/** The records that refer to this one, as far as the visitor may see them; the lists that they may not see are left out. */
function relatedList({ model, store }, visit, { area }, list, record, above) {
  const resource = model.resources.find(({ name }) => name === list.resource);
  if (!mayDo(visit, resource, "read")) return [];
  const records = store
    .collection(resource.name)
    .all()
    .filter((other) => String(other[list.field] ?? "") === String(record.id) && mayDo(visit, resource, "read", other))
    .slice(0, maxRelated)
    .map((other) => shown(resource, other));
  // The path of what is below this record has its id, and those of what this record is below.
  const parameters = { ...above, ...(resource.parent && { [resource.parent.field]: record.id }) };
  const detailPath = visit.pageOf("detail", resource.name, area)?.path;
  return [{ title: list.title, page: list, resource, records, detailPath, parameters }];
}
