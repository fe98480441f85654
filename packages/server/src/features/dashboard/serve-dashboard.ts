import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Refusal } from "../../platform/errors/index.ts";
import { fixedAnswer, type HttpServer, sendAnswer, serveNotFoundPage } from "../../platform/http/index.ts";

/** Where `npm run prepare` and `npm run build` put the pages. */
const builtPages = fileURLToPath(new URL("../../../dist/dashboard/", import.meta.url));

/** The addresses of pages; the script in the page tells them apart. */
const pages = [
  ...["/", "/projects", "/projects/*", "/new", "/sign-in", "/approvals", "/applications", "/applications/*"],
  ...["/agents", "/webhooks", "/webhooks/*", "/secrets", "/keys", "/users", "/audit", "/installation"],
  ...["/sign-in/*", "/device", "/sessions"],
];

/** Nothing inline, nothing from elsewhere, no evaluated text; `blob:` shows images that a project made, as images only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const unbuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Slipway</title>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run prepare</code> in the repository, then reload. The API describes itself at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p></html>`;

/** Serves the dashboard: one page at every address of it and of nothing else, and its files, whose names change with their content. */
export function serveDashboard(app: HttpServer, folder = builtPages): void {
  const page = fixedAnswer("text/html; charset=utf-8", () => readPage(folder), {
    "content-security-policy": policy,
    vary: "accept",
  });
  // Whoever asks for the documentation wants a page, also by a program.
  app.get("/docs", async (request, reply) => {
    sendAnswer(await page(), request, reply);
    return reply;
  });
  for (const url of pages) {
    app.get(url, async (request, reply) => {
      // Programs that forgot `/api/v1` must not take a page for an answer.
      if (!request.headers.accept?.includes("text/html"))
        throw new Refusal("not_found", "Not found. Here is a page for browsers; the API is at /api/v1.");
      sendAnswer(await page(), request, reply);
      return reply;
    });
  }
  serveNotFoundPage(app, page);
  const files = new Map<string, ReturnType<typeof fixedAnswer>>();
  app.get("/assets/*", async (request, reply) => {
    const name = (request.params as { "*": string })["*"];
    if (!files.has(name)) {
      // Only what is in the folder: a name from outside is never joined to a path.
      if (!(await readdir(`${folder}/assets`).catch((): string[] => [])).includes(name))
        throw new Refusal("not_found", "Not found.");
      files.set(name, fileAnswer(folder, name));
    }
    sendAnswer(await files.get(name)!(), request, reply);
    return reply;
  });
}

const types: Readonly<Record<string, string>> = { ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };

function fileAnswer(folder: string, name: string): ReturnType<typeof fixedAnswer> {
  const type = types[name.slice(name.lastIndexOf("."))] ?? "text/javascript; charset=utf-8";
  const headers = { "cache-control": "public, max-age=31536000, immutable" };
  return fixedAnswer(type, () => readFile(`${folder}/assets/${name}`), headers);
}

async function readPage(folder: string): Promise<Uint8Array> {
  return readFile(`${folder}/index.html`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.from(unbuilt);
    throw error;
  });
}
