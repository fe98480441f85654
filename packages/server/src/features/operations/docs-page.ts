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
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0 });\n`;

const cached = { "cache-control": "max-age=3600" };

/** Allows inline styles and data images, which Swagger UI needs; nothing from other hosts. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** Serves Swagger UI at /docs from the installed package. */
export function serveDocs(app: HttpServer): void {
  const require = createRequire(import.meta.url);
  const served = {
    "/docs": fixedAnswer("text/html; charset=utf-8", () => page, { "content-security-policy": policy }),
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
