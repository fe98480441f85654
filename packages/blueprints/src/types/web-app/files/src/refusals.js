import { html } from "./html.js";
import { HttpError } from "./http.js";
import { pageAnswer } from "./layout.js";

/** What the caller is told of an error: a browser gets a page, everyone else JSON. Of a fault nothing is told but that there was one. */
export function refusalOf({ model, report }, request, error) {
  const { status, message, body, headers } = asRefusal(error, report);
  const isBrowser = String(request.headers.accept ?? "").includes("text/html");
  if (!isBrowser) return { status, headers, body };
  const content = html`<p>${message}</p>\n<p><a href="/">Back to the start</a></p>`;
  const page = pageAnswer({ site: model.site, status, title: titles[status] ?? "That did not work", content });
  return { ...page, headers: { ...page.headers, ...headers } };
}

const titles = { 401: "A token is needed", 404: "Not found", 405: "Not possible here", 500: "Something went wrong" };

function asRefusal(error, report) {
  if (error instanceof HttpError) return error;
  if (error.code === "ERR_INVALID_URL") return new HttpError(400, "bad_path", "The address is not valid.");
  report(error);
  return new HttpError(500, "fault", "Something went wrong here.");
}
