/** A process that starts the embedded database on a folder and does what it is told: see run-starter.ts. */
import { createInterface } from "node:readline";
import {
  connectDatabase,
  DatabaseRefusal,
  type EmbeddedPostgres,
  FolderInUse,
  type FolderLock,
  migrate,
  startEmbeddedPostgres,
  takeFolderLock,
} from "../../../src/platform/database/index.ts";

const folder = process.argv[2]!;
const tell = (event: string, details: object = {}) =>
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`);
const note = (details: object, message: string) =>
  tell("log", { message, error: String("err" in details && details.err) });
const log = { debug: () => undefined, info: note, warn: note, error: note };

let postgres: EmbeddedPostgres;
let lock: FolderLock;

const commands: Record<string, (argument: string) => Promise<void>> = {
  start: async () => {
    postgres = await startEmbeddedPostgres({ folder, log });
    const { pid, wasAdopted, connection } = postgres;
    tell("started", { pid, wasAdopted, connection, folder: postgres.folder });
  },
  stop: async () => {
    await Promise.all([postgres.stop(), postgres.stop()]);
    tell("stopped");
  },
  leave: async () => {
    postgres.leave();
    tell("left");
  },
  lock: async () => {
    const onLost = ({ message }: Error) => tell("lost", { message });
    lock = await takeFolderLock({ connection: postgres.connection, folder, log, onLost });
    tell("locked");
  },
  address: async (address) => {
    await lock.setAddress(address);
    tell("addressed");
  },
  migrate: async (migrations) => {
    const { pool, close } = connectDatabase(postgres.connection, { log });
    await migrate({ pool, log }, migrations).finally(close);
    tell("migrated");
  },
};

process.on("SIGINT", () => tell("interrupted"));
createInterface(process.stdin)
  .on("line", (line) => {
    const [command = "", argument = ""] = line.split(" ");
    commands[command]!(argument).catch((error: unknown) => {
      const { code } = error as DatabaseRefusal;
      const holder = error instanceof FolderInUse ? error.holder : undefined;
      if (error instanceof DatabaseRefusal) tell("refused", { code, message: error.message, holder });
      else tell("failed", { message: String(error instanceof Error ? error.stack : error) });
    });
  })
  .on("close", () => process.exit(0));
