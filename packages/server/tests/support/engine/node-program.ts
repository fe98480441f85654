import { fileURLToPath } from "node:url";
import type { Program } from "../../../../../tools/bundle-programs.ts";

/** A node with a scripted agent. It is bundled like the service itself, before the tests begin. */
export const nodeProgram: Program = {
  entry: fileURLToPath(new URL("node.ts", import.meta.url)),
  folder: fileURLToPath(new URL("../../../dist/test-node", import.meta.url)),
};
