// Before a new version starts: every journal is read once and written short, so that a broken one is found now.
import { fileURLToPath } from "node:url";
import { loadModel } from "./load-model.js";
import { Store } from "./store.js";

const { DATA_DIR = "data" } = process.env;
const { resources } = await loadModel(fileURLToPath(new URL("../model", import.meta.url)));
const store = await Store.open(DATA_DIR, resources);
for (const { name } of resources) console.log(`${name}: ${store.collection(name).all().length}`);
await store.close();
