import { hidden } from "./forms.js";
import { html } from "./html.js";
import { isAllowed } from "./page-access.js";
import { say } from "./texts.js";

/** A whole page around its content, as an answer. */
export function pageAnswer(visit, { status = 200, title, content, headers = {} }) {
  const { site } = visit;
  const heading = title === site.title ? site.title : `${title} · ${site.title}`;
  const page = html`<!DOCTYPE html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<meta name="description" content="${site.description}">
<meta name="theme-color" content="${site.accent}">
<link rel="stylesheet" href="/assets/theme.css">
<link rel="stylesheet" href="/assets/style.css">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${
  site.has_manifest &&
  html`<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/assets/icon-192.png">`
}
<script type="module" src="/assets/enhance.js"></script>
</head>
<body${site.has_service_worker && html` data-service-worker="/service-worker.js"`}>
<a class="skip" href="#content">${say(site, "skip")}</a>
<header>
<a class="brand" href="/">${site.title}</a>
${navigation(visit)}
${accountLinks(visit)}
</header>
<main id="content">
<h1>${title}</h1>
${content}
</main>
<footer><p>${site.title}</p></footer>
</body>
</html>
`;
  return {
    status,
    text: page.text,
    type: "text/html; charset=utf-8",
    headers: { "content-security-policy": policyOf(site), "cache-control": caching(visit), ...headers },
  };
}

/** Nothing comes from elsewhere, but for pictures where records have their addresses. */
function policyOf({ has_images: hasImages }) {
  const images = hasImages ? "'self' data: https:" : "'self' data:";
  return `default-src 'self'; img-src ${images}; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
}

/** What is somebody's own is kept nowhere, not even by the service worker. */
function caching({ actor, basketCount }) {
  return actor === undefined && basketCount === 0 ? "no-cache" : "private, no-store";
}

/** Only what the visitor may open is named. */
function navigation(visit) {
  const { site, path, basketCount } = visit;
  const links = site.navigation.filter(({ access }) => isAllowed(visit, access));
  const current = (to) => to === path && html` aria-current="page"`;
  const basket =
    site.basket &&
    html`<li><a href="${site.basket.path}"${current(site.basket.path)}>${say(site, "basket")} (${basketCount})</a></li>`;
  if (links.length === 0 && !basket) return undefined;
  return html`<nav aria-label="${say(site, "navigation")}"><ul>${links.map(({ label, to }) => html`<li><a href="${to}"${current(to)}>${label}</a></li>`)}${basket}</ul></nav>`;
}

/** Logging out changes something, so it is a button and not a link. */
function accountLinks(visit) {
  const { site, account } = visit;
  const { login, sign_up: signUp, logout } = site.accounts ?? {};
  if (login === undefined) return undefined;
  if (account === undefined)
    return html`<p class="account"><a href="${login}">${say(site, "log_in")}</a>${signUp && html` <a href="${signUp}">${say(site, "sign_up")}</a>`}</p>`;
  return html`<form class="account" method="post" action="${logout}">${hidden(visit)}<span>${account.name}</span> <button type="submit" class="quiet">${say(site, "log_out")}</button></form>`;
}
