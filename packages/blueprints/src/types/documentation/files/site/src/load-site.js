import { readdir, readFile } from "node:fs/promises";

const root = new URL("../", import.meta.url);

/** The site as its folder has it: settings, the pages as Markdown, style and scripts. */
export async function loadSite() {
  const read = (path) => readFile(new URL(path.split("/").map(encodeURIComponent).join("/"), root), "utf8");
  const settings = JSON.parse(await read("site.json"));
  const names = settings.editions.flatMap(({ sources, api }) => (api === null ? sources : [...sources, api]));
  const sources = Object.fromEntries(await Promise.all([...new Set(names)].map(async (name) => [name, await read(name)])));
  const files = await readdir(new URL("assets/", root));
  const assets = await Promise.all(files.map(async (name) => [name, await read(`assets/${name}`)]));
  return { settings, sources, assets };
}
