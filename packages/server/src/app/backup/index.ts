export { BackupRefusal } from "./backup-refusal.ts";
export { backupCommand, backupHelp, restoreCommand } from "./commands.ts";
