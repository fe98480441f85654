import { createHash, timingSafeEqual } from "node:crypto";
import { cookieIn } from "./cookies.js";
import { html } from "./html.js";
import { HttpError, readText } from "./http.js";

const fieldName = "form_token";

/** The field that every form of somebody who is logged in has: no other site can know its value. */
export function hidden({ session }) {
  return session !== undefined && html`<input type="hidden" name="${fieldName}" value="${tokenOf(session)}">`;
}

/** A form as a browser sends it; one that another site made or sent is refused. */
export async function readForm(request, limitBytes) {
  const form = new URLSearchParams(await readText(request, limitBytes));
  const session = cookieIn(request.headers, "session");
  if (isFromElsewhere(request.headers) || (session !== undefined && !isToken(form.get(fieldName), session)))
    throw new HttpError(403, "forbidden", "This form was sent from another site, or is too old. Please load it again.");
  form.delete(fieldName);
  return form;
}

/** Browsers say where a form comes from, in one header or the other. */
function isFromElsewhere({ origin, host, "sec-fetch-site": site }) {
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}

/** It follows from the session, which no script and no other site can read. */
function tokenOf(session) {
  return createHash("sha256").update(`form:${session}`).digest("base64url");
}

function isToken(given, session) {
  const known = Buffer.from(tokenOf(session));
  const sent = Buffer.from(given ?? "");
  return sent.length === known.length && timingSafeEqual(sent, known);
}
