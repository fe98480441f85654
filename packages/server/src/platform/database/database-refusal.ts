/** Why the service cannot use the database; each message names a remedy. */
export type DatabaseRefusalCode =
  | "unsupported_platform"
  | "binaries_missing"
  | "disk_full"
  | "folder_not_writable"
  | "folder_not_ours"
  | "folder_closed"
  | "folder_in_use"
  | "cannot_drop_root"
  | "user_without_name"
  | "other_major_version"
  | "postgres_failed"
  | "half_restored"
  | "bad_database_url"
  | "database_unreachable"
  | "old_postgres"
  | "migration_misnamed"
  | "migration_missing"
  | "migration_changed"
  | "migration_failed"
  | "database_newer";

/** A failure that the operator must fix; the message says how, so no stack is printed. */
export class DatabaseRefusal extends Error {
  override readonly name: string = "DatabaseRefusal";
  readonly code: DatabaseRefusalCode;

  constructor(code: DatabaseRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
