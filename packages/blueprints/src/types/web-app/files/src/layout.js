import { html } from "./html.js";

const policy = "default-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** A whole page around its content, as an answer. */
export function pageAnswer({ site, status = 200, title, content }) {
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
${site.has_manifest && html`<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/assets/icon-192.png">`}
<script type="module" src="/assets/enhance.js"></script>
</head>
<body${site.has_service_worker && html` data-service-worker="/service-worker.js"`}>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/">${site.title}</a>
${site.navigation.length > 0 && html`<nav aria-label="Main"><ul>${site.navigation.map(({ label, to }) => html`<li><a href="${to}">${label}</a></li>`)}</ul></nav>`}
</header>
<main id="content">
<h1>${title}</h1>
${content}
</main>
<footer><p>${site.description}</p></footer>
</body>
</html>
`;
  return { status, text: page.text, type: "text/html; charset=utf-8", headers: { "content-security-policy": policy } };
}
