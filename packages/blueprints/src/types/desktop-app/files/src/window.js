import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser"];
const places = {
  darwin: ["Google Chrome", "Microsoft Edge", "Chromium"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  win32: ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"].flatMap((path) =>
    ["C:\\Program Files", "C:\\Program Files (x86)"].map((folder) => `${folder}\\${path}`),
  ),
};

/**
 * How a window of its own is opened: in a browser that can show a page without its own bars, else in whatever opens
 * addresses here.
 */
export function windowCommand({ width, height }, address, { platform, path = "", exists = existsSync }) {
  const onPath = path.split(delimiter).flatMap((folder) => browsers.map((name) => join(folder, name)));
  const browser = [...(places[platform] ?? []), ...onPath].find((file) => exists(file));
  if (browser !== undefined) return { file: browser, words: [`--app=${address}`, `--window-size=${width},${height}`] };
  if (platform === "darwin") return { file: "open", words: [address] };
  if (platform === "win32") return { file: "cmd", words: ["/c", "start", "", address] };
  return { file: "xdg-open", words: [address] };
}

export function openWindow(size, address) {
  const { file, words } = windowCommand(size, address, { platform: process.platform, path: process.env.PATH });
  const child = spawn(file, words, { detached: true, stdio: "ignore" });
  child.on("error", () => console.log(`Open ${address} in a browser.`));
  child.unref();
}
