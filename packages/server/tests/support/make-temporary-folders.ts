/** Makes a temporary folder of each kind in a process of its own, names them, and waits to be killed. */
import { TemporaryFolders } from "../../src/platform/temporary-folders.ts";

const [dataFolder = "", where = ""] = process.argv.slice(2);
const temporary = new TemporaryFolders({ dataFolder, where });
const made = [
  await temporary.make("flows"),
  await temporary.makeForSockets("ports"),
  await temporary.makeInMemory("env"),
  await temporary.makeInDataFolder("fetch"),
];
console.log(JSON.stringify(made));
setInterval(() => undefined, 60_000);
