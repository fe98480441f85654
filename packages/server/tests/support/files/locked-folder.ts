import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes the folder encrypted, puts a file and a link into it, and takes the key away. A program needs no right for that. */
const lock = `
import fcntl, os, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
key = bytearray(144)
key[0:4] = (2).to_bytes(4, "little")
key[40:44] = (64).to_bytes(4, "little")
key[80:144] = bytes(range(64))
fcntl.ioctl(folder, 0xC0506617, key)
policy = bytes([2, 1, 4, 3]) + bytes(4) + bytes(key[8:24])
fcntl.ioctl(folder, 0x800C6613, policy)
with open(sys.argv[1] + "/file", "w") as file: file.write("x")
os.symlink("file", sys.argv[1] + "/link")
os.sync()
fcntl.ioctl(folder, 0xC0406618, bytearray(key[0:40]) + bytearray(24))
`;

/** A folder on a disk that knows encryption, with a folder `locked` whose files nobody can open; undefined without such a disk. */
export function folderWithLockedOne(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), "slipway-locked-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [image, disk] = [join(place, "image"), join(place, "disk")];
  mkdirSync(disk);
  const make = `truncate -s 16M '${image}' && mkfs.ext4 -q -O encrypt '${image}' && mount -o loop '${image}' '${disk}'`;
  if (spawnSync("sh", ["-c", make]).status !== 0) return undefined;
  onTestFinished(() => void execFileSync("umount", ["-l", disk]));
  const folder = join(disk, "folder");
  mkdirSync(join(folder, "locked"), { recursive: true });
  return spawnSync("python3", ["-c", lock, join(folder, "locked")]).status === 0 ? folder : undefined;
}
