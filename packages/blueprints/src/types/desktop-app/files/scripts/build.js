import { fileURLToPath } from "node:url";
import { model } from "../src/model.js";
import { pack } from "./pack.js";

const folder = fileURLToPath(new URL(`../${model.folder}`, import.meta.url));
const bytes = await pack(model, folder);
console.log(`${model.folder}: ${Math.ceil(bytes / 1024)} KB`);
