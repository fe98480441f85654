import { FileSet } from "./file-set.ts";
import { js } from "./quote.ts";
import { staticFiles } from "./static-files.ts";

const files = staticFiles(new URL("./files/static-server/", import.meta.url));

/** A program that exits with 0 if the server on HOST and PORT reports itself healthy. */
export const healthScript = files.get("server/health.js")!;

/** A small server for pages and folders of static files: `node server/main.js`, with a health check. */
export function staticServer(pages: Readonly<Record<string, string>>, folders: readonly string[]): FileSet {
  const set = new FileSet();
  for (const [path, text] of files) set.add(path, text);
  const entries = Object.entries(pages).map(([path, file]) => `    ${js(path)}: ${js(file)},`);
  return set.add(
    "server/site.js",
    [
      "/** What is served: pages by their path, and folders whose files have their own names. */",
      "export const site = {",
      '  root: new URL("../", import.meta.url),',
      "  pages: {",
      ...entries,
      "  },",
      `  folders: [${folders.map(js).join(", ")}],`,
      "};",
    ].join("\n"),
  );
}
