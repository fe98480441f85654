import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxSocketAddressBytes } from "../../socket-address.ts";
import type { DatabaseLocation } from "./database-location.ts";
import { closedFolderOnTheWay } from "./database-user.ts";
import { ownFolder } from "./own-folder.ts";
import { port } from "./settings.ts";

/** The folder of the database's socket: its own, or one in the temporary folder if that path is too long. */
export async function socketFolder({ home, user }: DatabaseLocation): Promise<string> {
  if (fits(home)) return home;
  const name = `slipway-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  const short = join(await temporaryFolder(name, user), name);
  await ownFolder(short, user);
  return short;
}

async function temporaryFolder(name: string, user: DatabaseLocation["user"]): Promise<string> {
  const own = await realpath(tmpdir()).catch(() => undefined);
  const isUsable = own && fits(join(own, name)) && !(await closedFolderOnTheWay(own, user));
  return isUsable ? own : "/tmp";
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= maxSocketAddressBytes;
}
