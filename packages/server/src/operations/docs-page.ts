import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { HttpServer } from "../http/index.ts";

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

/** Styles that the page sets on its elements, and pictures inside of its styles; nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The API's documentation, readable at /docs. Its files come with the install and are read when first asked for. */
export function serveDocs(app: HttpServer, openApi: () => unknown): void {
  const require = createRequire(import.meta.url);
  app.get("/api/v1/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").header("cache-control", "no-cache").send(JSON.stringify(openApi())),
  );
  app.get("/docs", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("content-security-policy", policy).send(page),
  );
  app.get("/docs/start.js", async (_request, reply) => reply.type("text/javascript; charset=utf-8").send(start));
  const read = new Map<string, Promise<Buffer>>();
  const fileNamed = (name: string) => {
    const known = read.get(name) ?? readFile(require.resolve(`swagger-ui-dist/${name}`));
    read.set(name, known);
    return known;
  };
  for (const [name, type] of Object.entries(files)) {
    app.get(`/docs/${name}`, async (_request, reply) =>
      reply
        .type(type)
        .header("cache-control", "max-age=3600")
        .send(await fileNamed(name)),
    );
  }
}
