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

/** The bar, type and colours of the dashboard. */
const look = `body { margin: 0; }
.bar { display: flex; gap: 16px; padding: 12px 16px; border-bottom: 1px solid #d9dde3; background: #f5f6f8; }
.bar, .swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description {
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; color: #1a1e24;
}
.bar a { font-weight: 650; color: #1a1e24; text-decoration: none; }
.bar span { color: #57606c; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { font-size: 20px; }
.swagger-ui .opblock-tag { font-size: 16px; }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px; margin: 0 0 8px; }
`;

/** Other paths of an endpoint stay in the description, for programs; people read each endpoint once. */
const start = `const answer = await fetch("/api/v1/openapi.json");
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
