import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createApp } from "./app.js";
import { Auth } from "./auth.js";
import { dataFolder } from "./data-folder.js";
import { loadModel } from "./load-model.js";
import { Store } from "./store.js";

// An import of this module would also load the whole of fetch, which takes longer than all the rest.
const { createServer } = process.getBuiltinModule("node:http");

const modelFolder = fileURLToPath(new URL("../model", import.meta.url));

/** Starts the service as the environment says, and hands over its address and how it is stopped. */
export async function startService(environment, { model: given, say = console.error } = {}) {
  const { HOST: host = "127.0.0.1", PORT: port = "3000", MAX_BODY_BYTES: bodyLimit } = environment;
  const folder = dataFolder(environment);
  const model = given ?? (await loadModel(modelFolder));
  const auth = await Auth.open({ token: environment[model.auth.token_variable], folder, settings: model.auth, say });
  const store = await Store.open(folder, model.resources);
  const app = createApp({ model, store, auth, report: say, ...(bodyLimit && { bodyLimit: Number(bodyLimit) }) });
  const server = createServer(app).listen(Number(port), host);
  await once(server, "listening");

  async function stop() {
    server.close();
    server.closeIdleConnections();
    await once(server, "close");
    await store.close();
  }
  return {
    title: model.title,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${server.address().port}`,
    stop,
  };
}
