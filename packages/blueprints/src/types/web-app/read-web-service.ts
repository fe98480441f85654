import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { fieldsOf, textOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import { lastWord, shapeOf } from "../api/path-shape.ts";
import { authorKey, readDataModel, type ServiceDocument } from "../api/read-data-model.ts";
import { type ExpectedRequest, isSuccess, readRequests } from "../api/read-requests.ts";
import { readService, type Service } from "../api/read-service.ts";
import { unaskable } from "../api/unmet-requests.ts";
import { defaultPages } from "./default-pages.ts";
import type { PageModel, SiteModel } from "./model.ts";
import { declaredPageKeys, readPages } from "./read-pages.ts";
import { readTheme, type Theme } from "./read-theme.ts";

/** The web app of a document: its service and its pages. */
export interface WebService {
  readonly service: Service;
  readonly site: SiteModel;
  readonly theme: Theme;
  readonly pages: readonly PageModel[];
  readonly unmet: readonly Unmet[];
}

export function readWebService(document: CompleteSpec): WebService {
  const all = readRequests(acceptanceLines(document));
  const isPage = pageTest(document, all);
  const service = readService(document as ServiceDocument);
  const { pages: declared, unmet } = readPages(document, service.resources);
  const defaults =
    declared.length > 0 ? [] : service.resources.flatMap((found, index) => defaultPages(document, found, index === 0));
  const known = new Set([...declared, ...defaults].map(({ path }) => shapeOf(path).key));
  const asked = textPages(all.filter((request) => isPage(request) && !known.has(request.shape.key)));
  const pages = [...declared, ...defaults, ...withStart(document, [...declared, ...defaults], asked)];
  const theme = readTheme(document);
  return {
    service,
    theme,
    site: siteOf(document, pages, theme),
    pages,
    unmet: [...unmet, ...theme.unmet, ...unmetPages(all.filter(isPage), known)],
  };
}

/** Whether a request is for a page: a declared one, or a plain path that only GET requests use. */
function pageTest(document: CompleteSpec, requests: readonly ExpectedRequest[]): (request: ExpectedRequest) => boolean {
  const declared = declaredPageKeys(document);
  const sentTo = new Set(
    requests
      .filter(({ method }) => !["GET", "HEAD"].includes(method))
      .map(({ shape }) => shape.key.replace(/\/\{\}$/, "")),
  );
  const behindPages = new Set(apiPaths(document, requests).map((path) => path.replace(/^\/api(?:\/v\d+)?/, "")));
  return ({ method, shape, isAuthRequired, ...rest }) => {
    if (declared.has(shape.key) || assets.has(shape.key)) return true;
    if (!["GET", "HEAD"].includes(method) || isAuthRequired || sentTo.has(shape.key.replace(/\/\{\}$/, "")))
      return false;
    if (behindPages.has(shape.key.replace(/\/\{\}.*$/, ""))) return true;
    const word = lastWord(shape) ?? "";
    return (
      isSuccess({ method, shape, isAuthRequired, ...rest }) &&
      !shape.key.startsWith("/api") &&
      !shape.key.includes("{}") &&
      !notPages.test(word)
    );
  };
}

/** Collections of the API: `/recipes/{id}` is the page of a record in `/api/recipes`. */
function apiPaths(document: CompleteSpec, requests: readonly ExpectedRequest[]): readonly string[] {
  const declared = readDataModel(document as ServiceDocument).drafts.map(({ shape }) => shape.key);
  const called = requests.map(({ shape }) => shape.key.replace(/\/\{\}.*$/, ""));
  return [...declared, ...called].filter((path) => path.startsWith("/api/"));
}

const assets = new Set(["/manifest.webmanifest", "/service-worker.js", "/assets/style.css"]);
const notPages = /^(?:health\w*|ready\w*|live\w*|ping|up|status|metrics|openapi|swagger|export)$|\.\w+$/i;

/** Pages that only a request shows: they contain the texts it expects. */
function textPages(requests: readonly ExpectedRequest[]): readonly PageModel[] {
  return [...Map.groupBy(requests, ({ shape }) => shape.key)]
    .filter(([key]) => !assets.has(key))
    .map(([path, calls]) => {
      const texts = [...new Set(calls.flatMap(({ contains }) => contains))].filter((text) => !text.startsWith("<"));
      const word = path.split("/").at(-1)!.replace(/[-_]+/g, " ");
      const title = texts[0] ?? (word === "" ? "Welcome" : word.charAt(0).toUpperCase() + word.slice(1));
      return { path, kind: "text", title, texts: texts.slice(1) };
    });
}

/** Pages that cannot be requested, and texts that HTML must escape. */
function unmetPages(requests: readonly ExpectedRequest[], known: ReadonlySet<string>): readonly Unmet[] {
  return requests.flatMap((request) => {
    const { pointer, shape, contains } = request;
    const address = unaskable(request);
    if (address !== undefined) return [{ pointer, reason: address }];
    // The content of other pages is not known here.
    if (known.has(shape.key) || assets.has(shape.key)) return [];
    const unquotable = contains.find((text) => (text.startsWith("<") ? !tag.test(text) : /[&<>"']/.test(text)));
    return unquotable === undefined ? [] : [{ pointer, reason: `In a page ${unquotable} is written with entities.` }];
  });
}

/** The start of a tag that every page has. */
const tag = /^<(?:!doctype html|html|head|title|meta|link|body|header|nav|main|h1|p|footer|a|script)[^<]*$/i;

/** Adds a start page if there is none. */
function withStart(
  document: CompleteSpec,
  known: readonly PageModel[],
  asked: readonly PageModel[],
): readonly PageModel[] {
  const hasStart = [...known, ...asked].some(({ path }) => path === "/");
  const title = titleOf(document);
  return hasStart ? asked : [{ path: "/", kind: "text", title, texts: [document.description] }, ...asked];
}

function siteOf(document: CompleteSpec, pages: readonly PageModel[], { accent }: Theme): SiteModel {
  const pwa = fieldsOf(authorKey(document, "pwa"));
  const language = fieldsOf(fieldsOf(document.acceptance)["accessibility"])["page_language"];
  const asked = (path: string) => readRequests(acceptanceLines(document)).some(({ shape }) => shape.key === path);
  return {
    title: titleOf(document),
    description: document.description,
    language:
      typeof language === "string" && /^[A-Za-z-]{2,20}$/.test(language)
        ? language
        : textOf(authorKey(document, "language"), "en").replace(/[^A-Za-z-]/g, ""),
    accent,
    has_manifest: pwa["manifest"] === true || asked("/manifest.webmanifest"),
    has_service_worker: pwa["service_worker"] === true || asked("/service-worker.js"),
    navigation: pages
      .filter(({ kind, path }) => ["list", "form", "text"].includes(kind) && path !== "/" && !path.includes("{"))
      .map(({ title, path }) => ({ label: title, to: path })),
  };
}
