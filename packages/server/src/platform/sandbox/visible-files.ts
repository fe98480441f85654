import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A place of the system as a contained program sees it. */
export type Shown =
  | { readonly is: "folder"; readonly from: string; readonly at: string }
  | { readonly is: "link"; readonly to: string; readonly at: string };

/** Programs and libraries. */
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Names, certificates, time zone and the loader: nothing that opens a door, nothing about this machine's users. */
const configuration = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/nsswitch.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/ca-certificates/extracted",
  "/etc/crypto-policies",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/mime.types",
  "/etc/os-release",
];

/** What of the system every contained program may read, and where it finds Node. */
export async function findShownFiles(execPath = process.execPath): Promise<{ shown: Shown[]; nodeFolder: string }> {
  const system = await Promise.all(systemFolders.map(showSystemFolder));
  const etc = await Promise.all(configuration.map(showFile));
  const node = await realpath(execPath);
  const nodeFolder = dirname(node);
  const shown = [...system, ...etc].filter((one) => one !== undefined);
  const isShown = ["/usr/", "/nix/store/"].some((folder) => node.startsWith(folder));
  if (!isShown) shown.push(...(await showNode(node)));
  return { shown, nodeFolder };
}

/** Where /bin is a link to usr/bin it stays one. */
async function showSystemFolder(path: string): Promise<Shown | undefined> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return { is: "link", to: await readlink(path), at: path };
    return { is: "folder", from: path, at: path };
  } catch {
    return undefined;
  }
}

/** Links out of /etc (a resolver's file under /run) are followed here: in there, they would lead nowhere. */
async function showFile(path: string): Promise<Shown | undefined> {
  try {
    return { is: "folder", from: await realpath(path), at: path };
  } catch {
    return undefined;
  }
}

/** A Node outside the system's folders: with npm where it brings one, else the program alone. Never the folder above: it may be a home. */
async function showNode(node: string): Promise<Shown[]> {
  const bin = dirname(node);
  const modules = join(dirname(bin), "lib", "node_modules");
  const hasNpm = await stat(join(modules, "npm")).then(
    () => true,
    () => false,
  );
  const paths = hasNpm ? [bin, modules] : [node];
  return paths.map((path) => ({ is: "folder", from: path, at: path }));
}
