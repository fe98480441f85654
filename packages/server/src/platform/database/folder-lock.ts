import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { processExists } from "../process/index.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import type { SocketConnection } from "./client-config.ts";
import { DatabaseRefusal } from "./database-refusal.ts";
import type { Log } from "./log.ts";
import { SteadyConnection } from "./steady-connection.ts";

export interface FolderHolder {
  readonly pid: number | undefined;
  readonly address: string | undefined;
  readonly since: Date;
}

/** Another server uses the data folder. */
export class FolderInUse extends DatabaseRefusal {
  override readonly name = "FolderInUse";
  readonly folder: string;
  readonly holder: FolderHolder;

  constructor(folder: string, holder: FolderHolder) {
    const { pid, address, since } = holder;
    const parts = [pid && `process ${pid}`, address, `since ${since.toISOString()}`].filter(Boolean);
    super(
      "folder_in_use",
      `The data folder ${folder} is in use by slipway (${parts.join(", ")}). Stop that one first, or choose another folder with --data.`,
    );
    this.folder = folder;
    this.holder = holder;
  }
}

export interface FolderLockOptions {
  readonly connection: SocketConnection;
  readonly folder: string;
  readonly log: Log;
  /** Called if the connection lost the lock and another server took it since: this server must stop. */
  readonly onLost: (refusal: FolderInUse) => void;
}

export interface FolderLock {
  /** Publishes the address of this server, for the refusal that others get. */
  setAddress(address: string): Promise<void>;
  /** Call it after the database stopped: earlier, another server could take the folder and lose its database at once. */
  release(): Promise<void>;
}

/** How long the lock of a process that no longer exists may outlive it. */
const patienceMs = 2_000;

/** Makes this process the only server of an embedded database; refuses if there is another. */
export async function takeFolderLock({ connection, folder, log, onLost }: FolderLockOptions): Promise<FolderLock> {
  let address = "-";
  let isAcquired = false;
  const applicationName = () => `slipway ${process.pid} ${address}`;
  const steady = new SteadyConnection({
    target: connection,
    log,
    applicationName,
    onConnect: async (client) => {
      const holder = await tryLock(client);
      if (holder && !isAcquired) throw new FolderInUse(folder, holder);
      if (holder) onLost(new FolderInUse(folder, holder));
      isAcquired = true;
    },
  });
  await steady.open();
  return {
    setAddress: async (known) => {
      address = known;
      await steady.run((client) =>
        client.query("select set_config('application_name', $1, false)", [applicationName()]),
      );
    },
    release: () => steady.close(),
  };
}

/** Takes the lock, or returns who has it. */
async function tryLock(client: pg.Client): Promise<FolderHolder | undefined> {
  for (const deadline = Date.now() + patienceMs; ; await delay(10)) {
    const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1, $2) as "isOurs"', [
      ...advisoryLocks.folder,
    ]);
    if (rows[0]!.isOurs) return undefined;
    const holder = await findHolder(client);
    // Postgres takes a moment to notice that the client process was killed.
    if (holder && (holder.pid === undefined || processExists(holder.pid) || Date.now() > deadline)) return holder;
  }
}

async function findHolder(client: pg.Client): Promise<FolderHolder | undefined> {
  const { rows } = await client.query<{ name: string; since: Date }>(
    `select application_name as name, backend_start as since
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted
        and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    [...advisoryLocks.folder],
  );
  if (!rows[0]) return undefined;
  const [, pid, address] = rows[0].name.split(" ");
  return {
    pid: Number(pid) || undefined,
    address: address === "-" ? undefined : address,
    since: rows[0].since,
  };
}
