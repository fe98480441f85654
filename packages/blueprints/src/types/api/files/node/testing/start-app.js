import "./quick-passwords.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadModel } from "#src/load-model.js";
import { startService } from "#src/start-service.js";
import { sendRequest } from "./send-request.js";

export const token = "a token for tests";

/** What this service is about. */
export const ownModel = await loadModel(join(fileURLToPath(import.meta.resolve("#model/service.json")), ".."));

/** A folder for data that is gone after the test. */
export async function emptyFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), "service-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the service on a free port, for one test; hands over a way to call it. */
export async function startApp(t, { model = ownModel, folder, environment = {} } = {}) {
  const said = [];
  const { token_variable: variable, header } = model.auth;
  const settings = { PORT: "0", DATA_DIR: folder ?? (await emptyFolder(t)), [variable]: token, ...environment };
  const service = await startService(settings, { model, say: (text) => said.push(text) });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await service.stop();
    isStopped = true;
  };
  t.after(stop);
  const { url } = service;
  return { call: (method, path, options) => call({ url, header }, method, path, options), said, stop, url };
}

/** Makes a request; the answer comes with its text, and as JSON where it is that. */
async function call({ url, header = "authorization" }, method, path, { body, raw, headers = {}, token: given } = {}) {
  const isBodyless = body === undefined && raw === undefined;
  const { status, headers: answered, text } = await sendRequest(`${url}${path}`, {
    method,
    headers: {
      ...(!isBodyless && { "content-type": "application/json" }),
      ...(given && { [header]: `Bearer ${given}` }),
      ...headers,
    },
    ...(!isBodyless && { body: raw ?? JSON.stringify(body) }),
  });
  const isJson = answered.get("content-type")?.startsWith("application/json") ?? false;
  return { status, headers: answered, text, json: isJson && text !== "" ? JSON.parse(text) : undefined };
}
