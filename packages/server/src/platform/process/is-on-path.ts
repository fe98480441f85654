import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Whether this machine has a program of the name in one of the folders of a PATH. */
export async function isOnPath(program: string, path = process.env["PATH"] ?? ""): Promise<boolean> {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
