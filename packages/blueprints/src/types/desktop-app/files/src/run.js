import { homedir } from "node:os";
import { join } from "node:path";
import { helpText, readOptions } from "./options.js";
import { createApp } from "./server.js";
import { openWindow } from "./window.js";

/**
 * Runs the app as the command line says; the exit code, or nothing while the app is running.
 *
 * @param {{ env?: object, open?: typeof openWindow, print?: (text: string) => void, complain?: (text: string) => void }} around
 */
export async function run(model, words, { env = process.env, open = openWindow, print = console.log, complain = console.error } = {}) {
  const options = readOptions(model, words);
  if (options.error !== undefined) {
    complain(`${model.command}: ${options.error}\n\n${helpText(model)}`);
    return { exitCode: 2 };
  }
  if (options.isHelp || options.isVersion) {
    print(options.isHelp ? helpText(model) : model.version);
    return { exitCode: 0 };
  }
  const folder = options.data ?? (env.SLIPWAY_DATA_DIR || env.DATA_DIR) ?? join(homedir(), `.${model.command}`);
  // Without a window there is nobody who could mean it.
  const server = createApp({ model, folder, onQuit: () => options.hasWindow && stop(server) });
  const host = env.HOST ?? "127.0.0.1";
  await new Promise((resolve, reject) => server.once("error", reject).listen(Number(env.PORT ?? 0), host, resolve));
  const address = `http://${host}:${server.address().port}/`;
  print(`${model.name} is at ${address}, and keeps everything in ${folder}`);
  if (options.hasWindow) open(model.windows[0], address);
  return { server, address };
}

export function stop(server) {
  server.close();
  server.closeIdleConnections();
}
