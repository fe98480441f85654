import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file or folder of the system that a sandboxed process can read. */
export type VisibleFile =
  | { readonly is: "folder"; readonly from: string; readonly at: string }
  | { readonly is: "link"; readonly to: string; readonly at: string };

/** Programs and libraries. */
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Name resolution, certificates, time zone and the loader; no credentials, and nothing about the users of the machine. */
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

/** The system files that every sandboxed process can read, and the folder of Node. */
export async function findVisibleFiles(
  execPath = process.execPath,
): Promise<{ visible: VisibleFile[]; nodeFolder: string }> {
  const system = await Promise.all(systemFolders.map(findSystemFolder));
  const etc = await Promise.all([...configuration, ...(await findJava())].map(findFile));
  const node = await realpath(execPath);
  const nodeFolder = dirname(node);
  const visible = [...system, ...etc].filter((one) => one !== undefined);
  const isInSystemFolder = ["/usr/", "/nix/store/"].some((folder) => node.startsWith(folder));
  if (!isInSystemFolder) visible.push(...(await findNode(node)));
  return { visible, nodeFolder };
}

/** Where /bin is a link to usr/bin, it stays a link. */
async function findSystemFolder(path: string): Promise<VisibleFile | undefined> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return { is: "link", to: await readlink(path), at: path };
    return { is: "folder", from: path, at: path };
  } catch {
    return undefined;
  }
}

/** Follows links out of /etc (such as to a resolver's file under /run), which would be dangling inside the sandbox. */
async function findFile(path: string): Promise<VisibleFile | undefined> {
  try {
    return { is: "folder", from: await realpath(path), at: path };
  } catch {
    return undefined;
  }
}

/** What Debian's JDKs read at every start; their files in /usr are links to it. */
async function findJava(): Promise<string[]> {
  const names = await readdir("/etc").catch(() => []);
  return names.filter((name) => /^java-\d+-openjdk$/.test(name)).map((name) => join("/etc", name));
}

/**
 * For a Node outside the system folders: with npm if it has one, else the program alone. Never the folder above: it may be
 * somebody's home.
 */
async function findNode(node: string): Promise<VisibleFile[]> {
  const bin = dirname(node);
  const modules = join(dirname(bin), "lib", "node_modules");
  const hasNpm = await stat(join(modules, "npm")).then(
    () => true,
    () => false,
  );
  const paths = hasNpm ? [bin, modules] : [node];
  return paths.map((path) => ({ is: "folder", from: path, at: path }));
}
