import { readdir, readFile } from "node:fs/promises";

const root = new URL("../", import.meta.url);

/** The site as its folder has it: settings, the pages as Markdown, style and scripts. */
export async function loadSite() {
  const settings = JSON.parse(await readFile(new URL("site.json", root), "utf8"));
  const sources = await Promise.all(settings.sources.map((file) => readFile(new URL(file, root), "utf8")));
  const names = await readdir(new URL("assets/", root));
  const assets = await Promise.all(
    names.map(async (name) => [name, await readFile(new URL(`assets/${encodeURIComponent(name)}`, root), "utf8")]),
  );
  return { settings, sources, assets };
}
