/**
 * The settings of the embedded Postgres: small when idle, and durable. `alter system` takes precedence over all of them.
 */
const settings: Readonly<Record<string, string>> = {
  cluster_name: "slipway",
  timezone: "UTC",
  // Enough for the pools of a few nodes. An unused one costs about 20 kB.
  max_connections: "100",
  shared_buffers: "32MB",
  effective_cache_size: "512MB",
  maintenance_work_mem: "32MB",
  huge_pages: "off",
  // Compiling a plan takes longer than running our statements.
  jit: "off",
  // The default starts three more processes to read ahead; our tables fit into memory.
  io_method: "sync",
  max_worker_processes: "4",
  max_parallel_workers: "2",
  max_logical_replication_workers: "0",
  autovacuum_max_workers: "2",
  // Enough for a base backup while it runs.
  max_wal_senders: "2",
  min_wal_size: "32MB",
  max_wal_size: "256MB",
  checkpoint_timeout: "15min",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // A file for each day of the week, emptied when the day comes again. The service logs errors of statements: here they
  // could fill the disk, and their details contain what users wrote.
  logging_collector: "on",
  log_filename: "postgres-%a.log",
  log_file_mode: "0600",
  log_rotation_age: "1d",
  log_rotation_size: "0",
  log_truncate_on_rotation: "on",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
  log_min_messages: "log",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

export const port = 5432;

/** The text of the configuration file, which includes what `initdb` detected. */
export function configurationFile(folders: { data: string; logs: string }, changes: Readonly<Record<string, string>>) {
  const all = { ...settings, log_directory: folders.logs, ...changes };
  return [
    "# Written at each start of Slipway. To change a setting for good, use `alter system set … = …` and start again.",
    `include = ${quote(`${folders.data}/postgresql.conf`)}`,
    ...Object.entries(all).map(([name, value]) => `${name} = ${quote(value)}`),
    "",
  ].join("\n");
}

/** Arguments that no setting can override: only its user and root can reach Postgres, only by its socket. */
export function fixedArguments(folders: { data: string; configuration: string; sockets: string }): string[] {
  const fixed = {
    config_file: folders.configuration,
    listen_addresses: "",
    port: String(port),
    // A list with commas; a quoted name may contain one.
    unix_socket_directories: `"${folders.sockets.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
  };
  return ["-D", folders.data, ...Object.entries(fixed).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

function quote(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
