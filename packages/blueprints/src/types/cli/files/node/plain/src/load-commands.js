import { readdir } from "node:fs/promises";

const folder = new URL("./commands/", import.meta.url);

/** Every command in the folder `commands`, by name, in the order in which help shows them. */
export async function loadCommands() {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  const modules = await Promise.all(files.map((file) => import(new URL(encodeURIComponent(file), folder).href)));
  const commands = modules.map((module) => module.default).sort((a, b) => a.order - b.order);
  return new Map(commands.map((command) => [command.name, command]));
}
