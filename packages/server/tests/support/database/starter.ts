/** A process that starts the embedded database of a folder and obeys commands: see run-starter.ts. */
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
// Not by the index: many are started, and the query builder behind it is three quarters of what a start would load.
import { DatabaseRefusal } from "../../../src/platform/database/database-refusal.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/platform/database/embedded/start.ts";
import { FolderInUse, type FolderLock, takeFolderLock } from "../../../src/platform/database/folder-lock.ts";

const folder = process.argv[2]!;
const send = (event: string, details: object = {}) =>
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`);
const note = (details: object, message: string) =>
  send("log", { message, error: String("err" in details && details.err) });
const log = { debug: () => undefined, info: note, warn: note, error: note };

let postgres: EmbeddedPostgres;
let lock: FolderLock;

const commands: Record<string, (argument: string) => Promise<void>> = {
  start: async () => {
    postgres = await startEmbeddedPostgres({ folder, log });
    const { pid, wasAdopted, connection } = postgres;
    send("started", { pid, wasAdopted, connection, folder: postgres.folder });
    // Node would do so when it ends, but most of us are killed: then each would compile the same files again.
    flushCompileCache();
  },
  stop: async () => {
    await Promise.all([postgres.stop(), postgres.stop()]);
    send("stopped");
  },
  leave: async () => {
    postgres.leave();
    send("left");
  },
  lock: async () => {
    const onLost = ({ message }: Error) => send("lost", { message });
    lock = await takeFolderLock({ connection: postgres.connection, folder, log, onLost });
    send("locked");
  },
  address: async (address) => {
    await lock.setAddress(address);
    send("addressed");
  },
  migrate: async (migrations) => {
    const { connectDatabase, migrate } = await import("../../../src/platform/database/index.ts");
    const { pool, close } = connectDatabase(postgres.connection, { log });
    await migrate({ pool, log }, migrations).finally(close);
    send("migrated");
  },
};

process.on("SIGINT", () => send("interrupted"));
createInterface(process.stdin)
  .on("line", (line) => {
    const [command = "", argument = ""] = line.split(" ");
    commands[command]!(argument).catch((error: unknown) => {
      const { code } = error as DatabaseRefusal;
      const holder = error instanceof FolderInUse ? error.holder : undefined;
      if (error instanceof DatabaseRefusal) send("refused", { code, message: error.message, holder });
      else send("failed", { message: String(error instanceof Error ? error.stack : error) });
    });
  })
  .on("close", () => process.exit(0));
