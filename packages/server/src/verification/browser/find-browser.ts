import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** The program itself before the script that starts it: such a script reads settings that the sandbox does not show. */
const places = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** What to do where there is none. */
export const howToGetBrowser = "Install Chromium (apt install chromium, dnf install chromium).";

/** The path of this machine's Chromium; undefined if it has none. */
export async function findBrowser(): Promise<string | undefined> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = [...places, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))];
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return realpath(candidate);
  }
  return undefined;
}
