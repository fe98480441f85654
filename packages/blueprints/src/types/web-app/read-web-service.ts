import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import type { ResourceModel } from "../api/model.ts";
import { readService, type Service } from "../api/read-service.ts";
import { servedRoutes } from "../api/served-routes.ts";
import { withComputed, withReserved } from "./basket-fields.ts";
import { defaultPages, withoutDeadLinks } from "./default-pages.ts";
import type { NavigationLink, PageModel, SiteModel } from "./model.ts";
import { isSamePath } from "./page-paths.ts";
import { pageRoutes } from "./page-routes.ts";
import { readAccess } from "./read-access-words.ts";
import { readAccountPages } from "./read-account-pages.ts";
import { deedPages } from "./read-actions.ts";
import { basketPages, readBasket } from "./read-basket.ts";
import { type Reading, readPages } from "./read-pages.ts";
import { readTexts } from "./read-texts.ts";
import { readTheme, type Theme } from "./read-theme.ts";
import { labelled, resourceNamed, titleFieldOf, unmetTitles } from "./titles.ts";

/** The web app of a document: its service and its pages. */
export interface WebService {
  readonly service: Service;
  readonly site: SiteModel;
  readonly theme: Theme;
  readonly pages: readonly PageModel[];
  readonly resources: readonly ResourceModel[];
  readonly shortName: string;
  readonly unmet: readonly Unmet[];
}

/** Reads the web app of a document. */
export function readWebService(document: DocumentToBuild<"web-app">): WebService {
  const unmet: Unmet[] = [];
  const basePath = document.base_path;
  // The pages follow from the service, and what it protects may be pages: what is protected is read last.
  const first = readService(document, { basePath });
  const found = first.resources.map(({ model }) => model);
  const { accounts } = first.model.auth;
  const basket = readBasket(document, found, unmet);
  const resources = withComputed(found, basket);
  const texts = readTexts(document);
  const reading: Reading = { keys: document, resources, roles: accounts?.roles, basketOf: basket?.of, texts, unmet };
  const { pages: ofAccounts, paths: accountPaths } = readAccountPages(reading, accounts);
  const written = readPages(reading);
  const declared = [...ofAccounts, ...written, ...basketPages(reading, basket)];
  const usual = written.length > 0 ? [] : withoutDeadLinks(usualPages(reading, document, accounts?.resource));
  const managing = adminPages(reading);
  const visible = withStart(document, [...declared, ...usual, ...managing]);
  if (basket !== undefined && !visible.some(isBoughtFrom))
    unmet.push({
      pointer: "/basket",
      reason: `No page puts anything into it: give a list or a detail of '${document.basket!.of}' an action that does 'add_to_basket'.`,
    });
  const pages = [...visible, ...deedPages(visible)];
  const theme = readTheme(document);
  unmet.push(...unmetTitles(document, resources));
  const { manifest = false, service_worker: worker = false, short_name: shortName } = document.pwa ?? {};
  const site: SiteModel = {
    title: titleOf(document),
    description: document.description,
    language: document.language,
    accent: theme.accent,
    has_manifest: manifest,
    has_service_worker: worker,
    has_images: pages.some((page) => "image" in page),
    navigation: navigationOf(reading, visible),
    texts,
    title_fields: Object.fromEntries(resources.map((one) => [one.name, titleFieldOf(document, one)])),
    ...(accountPaths !== undefined && { accounts: accountPaths }),
    ...(basket !== undefined && { basket }),
  };
  const service = readService(document, { basePath, routes: pageRoutes({ pages, site, resources }) });
  const marked = withReserved(resources, basket, declared);
  return {
    // The resources are read twice, in the same order.
    service: { ...service, resources: service.resources.map((one, index) => ({ ...one, model: marked[index]! })) },
    theme,
    site,
    pages,
    resources: marked,
    shortName: (shortName ?? site.title).slice(0, 30),
    unmet: [...unmet, ...theme.unmet, ...unmetLanguage(document), ...unmetLinks(document, service, pages)],
  };
}

function isBoughtFrom(page: PageModel): boolean {
  return "actions" in page && page.actions.some(({ does }) => does === "add_to_basket");
}

/** The usual pages of every resource, the first of which is the start; accounts are only for those who manage them. */
function usualPages(reading: Reading, document: DocumentToBuild<"web-app">, accounts: string | undefined) {
  const shown = reading.resources.filter(({ name }) => name !== accounts);
  // What is below another record has no list of its own that could be the start.
  const start = shown.find(({ parent, is_single: isSingle }) => parent === undefined && isSingle !== true);
  return shown.flatMap((resource) => {
    const pages = defaultPages(reading, resource, resource === start ? { startTitle: titleOf(document) } : {});
    if (pages.length === 0)
      reading.unmet.push({
        pointer: "/data_model",
        reason: `'${resource.title}' has no pages: declare them under 'pages'.`,
      });
    return pages;
  });
}

/** Pages to manage records, and one that leads to them. */
function adminPages(reading: Reading): readonly PageModel[] {
  const { admin } = reading.keys;
  if (admin === undefined) return [];
  const { path, of } = admin;
  const managed = of?.flatMap((word, index) => {
    const found = resourceNamed(reading.resources, word);
    if (found === undefined)
      reading.unmet.push({ pointer: `/admin/of/${index}`, reason: `There is no '${word}' in 'data_model'.` });
    return found === undefined ? [] : [found];
  });
  const access = adminAccess(reading);
  const pages = withoutDeadLinks(
    (managed ?? reading.resources).flatMap((resource: ResourceModel) =>
      defaultPages(reading, resource, { area: path.replace(/\/$/, ""), ...access }),
    ),
  );
  const lists = pages.filter(({ kind }) => kind === "list");
  const links = lists.map(({ title, path: to }) => ({ label: title, to }));
  return [
    { path, kind: "text", title: reading.texts.manage, ...access, area: path, texts: [], actions: links },
    ...pages,
  ];
}

/** Nobody manages records unless the document says who. */
function adminAccess(reading: Reading): { readonly access?: readonly string[] } {
  const { access } = reading.keys.admin ?? {};
  if (access !== undefined) return readAccess(reading, access, "/admin/access");
  const isKnown = reading.roles?.includes("admin") === true;
  if (!isKnown)
    reading.unmet.push({
      pointer: "/admin",
      reason: "Say with 'access' which roles may open these pages; nobody may.",
    });
  return { access: isKnown ? ["admin"] : [] };
}

/** Adds a start page if there is none. */
function withStart(document: DocumentToBuild<"web-app">, pages: readonly PageModel[]): readonly PageModel[] {
  if (pages.some(({ path }) => path === "/")) return pages;
  return [{ path: "/", kind: "text", title: titleOf(document), texts: [document.description], actions: [] }, ...pages];
}

function navigationOf(reading: Reading, pages: readonly PageModel[]): readonly NavigationLink[] {
  const { navigation, pages: written = [], admin } = reading.keys;
  if (navigation !== undefined)
    return navigation.flatMap(({ label, to, access }, index) => {
      const pointer = `/navigation/${index}`;
      if (to.startsWith("//"))
        reading.unmet.push({ pointer: `${pointer}/to`, reason: "It would lead to another site." });
      return to.startsWith("//") ? [] : [{ label, to, ...readAccess(reading, access, `${pointer}/access`) }];
    });
  const wishes = new Map(written.map(({ path, in_navigation: isNamed }) => [path, isNamed]));
  return pages
    .filter((page) => {
      const { kind, path, area } = page;
      if (path.includes("{")) return false;
      const isUsual =
        ["list", "form", "text", "detail"].includes(kind) &&
        path !== "/" &&
        (area === undefined || path === admin?.path);
      return wishes.get(path) ?? isUsual;
    })
    .map(({ title, path, access }) => ({ label: labelled(title), to: path, ...(access !== undefined && { access }) }));
}

function unmetLanguage({ language, texts }: DocumentToBuild<"web-app">): readonly Unmet[] {
  if (/^en\b/i.test(language)) return [];
  const reason =
    "What is wrong in a field is said in English, and so is what 'texts' does not give in another language.";
  return texts === undefined || Object.keys(texts).length === 0 ? [{ pointer: "/language", reason }] : [];
}

/** Links that lead to no page and no path of the API. */
function unmetLinks(
  { pages: written = [], navigation = [] }: DocumentToBuild<"web-app">,
  service: Service,
  pages: readonly PageModel[],
): readonly Unmet[] {
  const links = [
    ...navigation.map(({ to }, index) => ({ pointer: `/navigation/${index}/to`, to })),
    ...written.flatMap(({ actions = [], next }, page) => [
      ...(next === undefined ? [] : [{ pointer: `/pages/${page}/next`, to: next }]),
      ...actions.map(({ to }, index) => ({ pointer: `/pages/${page}/actions/${index}/to`, to })),
    ]),
  ];
  const served = [...pages, ...servedRoutes(service)].map(({ path }) => path);
  return links.flatMap(({ pointer, to }) => {
    if (to === undefined || to.startsWith("//") || served.some((path) => isSamePath(path, to))) return [];
    return [{ pointer, reason: `There is no page at ${to}: declare it under 'pages'.` }];
  });
}
