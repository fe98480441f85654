import { restoreBackup } from "../../../src/app/backup/restore-backup.ts";
import { readConfig } from "../../../src/app/config.ts";

// A program: restores a backup, and kills itself at a step.
const [folder = "", data = "", step = ""] = process.argv.slice(2);
let steps = 0;
const progress = () => {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, "SIGKILL");
};
const { config } = readConfig(["--data", data], process.env);
await restoreBackup({ config, progress }, folder);
