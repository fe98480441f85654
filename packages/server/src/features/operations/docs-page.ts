import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fixedAnswer, type HttpServer, sendAnswer } from "../../platform/http/index.ts";

const files: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Slipway API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/look.css">
  </head>
  <body>
    <header class="bar"><a href="/">Slipway</a> <span>API</span></header>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/start.js"></script>
  </body>
</html>
`;

/** The bar, type and colours of the dashboard: its `tokens.css` has the same values. Swagger UI brings its own dark colours. */
const look = `:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c);
  --surface: light-dark(#f5f6f8, #1c2027);
  --raised: light-dark(#ffffff, #232831);
  --line: light-dark(#d9dde3, #363d49);
  --ink: light-dark(#1a1e24, #e8ebf0);
  --faint: light-dark(#57606c, #a5aebb);
  --accent: light-dark(#1f4fc4, #8fb4ff);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
html, html.dark-mode, body, .swagger-ui, html.dark-mode .swagger-ui, .swagger-ui .scheme-container {
  background: var(--paper); color: var(--ink); box-shadow: none;
}
body { margin: 0; }
.bar { display: flex; gap: 16px; padding: 12px 16px; border-bottom: 1px solid var(--line); background: var(--surface); }
.bar, .swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; color: var(--ink);
}
.bar a { font-weight: 650; color: var(--ink); text-decoration: none; }
.bar span { color: var(--faint); }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { font-size: 20px; }
.swagger-ui .info a { color: var(--accent); }
.swagger-ui .opblock-tag { font-size: 16px; border-color: var(--line); }
.swagger-ui .opblock, html.dark-mode .swagger-ui .opblock {
  box-shadow: none; border-radius: 6px; margin: 0 0 8px; background: var(--raised); border-color: var(--line);
}
`;

/**
 * It wears the theme that the dashboard remembers. Other paths of an endpoint stay in the description, for programs; people
 * read each endpoint once.
 */
const start = `const system = matchMedia("(prefers-color-scheme: dark)");
const wear = () => {
  const theme = localStorage.getItem("slipway-theme") ?? "system";
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("dark-mode", theme === "system" ? system.matches : theme === "dark");
};
system.addEventListener("change", wear);
wear();
const answer = await fetch("/api/v1/openapi.json");
const spec = await answer.json();
for (const operations of Object.values(spec.paths))
  for (const [method, { operationId }] of Object.entries(operations))
    if (operationId.endsWith("Alias")) delete operations[method];
SwaggerUIBundle({ spec, dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0 });
`;

const cached = { "cache-control": "max-age=3600" };

/** Allows inline styles and data images, which Swagger UI needs; nothing from other hosts. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves Swagger UI at /docs from the installed package. */
export function serveDocs(app: HttpServer): void {
  const require = createRequire(import.meta.url);
  const served = {
    "/docs": fixedAnswer("text/html; charset=utf-8", () => page, { "content-security-policy": policy }),
    "/docs/look.css": fixedAnswer("text/css; charset=utf-8", () => look),
    "/docs/start.js": fixedAnswer("text/javascript; charset=utf-8", () => start),
    ...Object.fromEntries(
      Object.entries(files).map(([name, type]) => [
        `/docs/${name}`,
        fixedAnswer(type, () => readFile(require.resolve(`swagger-ui-dist/${name}`)), cached),
      ]),
    ),
  };
  for (const [url, answer] of Object.entries(served)) {
    app.get(url, async (request, reply) => {
      sendAnswer(await answer(), request, reply);
      return reply;
    });
  }
}
