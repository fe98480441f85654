export { sshLink } from "./ssh-link.ts";
export { readSshSettings, type SshSettings } from "./ssh-settings.ts";
export { sshTargets } from "./ssh-targets.ts";
