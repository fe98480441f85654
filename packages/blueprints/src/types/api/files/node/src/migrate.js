// Before a new version starts: what is kept is opened and read once, so that a broken file is found now.
import { fileURLToPath } from "node:url";
import { dataFolder } from "./data-folder.js";
import { loadModel } from "./load-model.js";
import { refuseOldNode } from "./refuse-old-node.js";

refuseOldNode();
const { Store } = await import("./store.js");
const { resources } = await loadModel(fileURLToPath(new URL("../model", import.meta.url)));
const store = await Store.open(dataFolder(process.env), resources);
for (const { name } of resources) console.log(`${name}: ${store.collection(name).all().length}`);
await store.close();
