import { readAiderLine } from "./aider-lines.ts";
import { readCodexLine } from "./codex-lines.ts";
import { readGeminiLine } from "./gemini-lines.ts";
import { messageLines } from "./message-lines.ts";
import { readOpencodeLine } from "./opencode-lines.ts";
import type { CommandProfile } from "./profile.ts";

// All of them run inside our sandbox, with nobody to ask: their own sandbox and their questions are off. "Tried"
// means that this version wrote a file when a scripted model on loopback told it to.

/** Claude Code 2.1.240: the command line that claude-agent-sdk-python builds. Tried with 2.1.325. */
const claudeCode: CommandProfile = {
  name: "claude-code",
  title: "Claude Code",
  command: "claude",
  args: [
    "-p",
    "--output-format",
    "stream-json",
    // Without it, stream-json is refused.
    "--verbose",
    "--dangerously-skip-permissions",
    ["--model", "{{model}}"],
  ],
  install: "Install it with 'npm install -g @anthropic-ai/claude-code', or set 'command' to where it is.",
  keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  variables: ["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_CUSTOM_HEADERS"],
  // As root it skips no permissions unless it is told that it is in a sandbox.
  fixedVariables: { IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  output: { is: "json_lines", read: messageLines({ isCachedApart: true }) },
  stop: "interrupt",
};

/** Codex, August 2026: codex-rs/exec/src/cli.rs, codex-rs/utils/cli/src/shared_options.rs; the key in codex-rs/login. Tried with 0.166.0. */
const codex: CommandProfile = {
  name: "codex",
  title: "Codex",
  command: "codex",
  args: [
    "exec",
    "--json",
    // An attempt's folder is no repository.
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    ["--model", "{{model}}"],
  ],
  install: "Install it with 'npm install -g @openai/codex', or set 'command' to where it is.",
  keys: ["CODEX_API_KEY"],
  variables: ["CODEX_HOME"],
  fixedVariables: {},
  output: { is: "json_lines", read: readCodexLine },
  stop: "interrupt",
};

/** Gemini CLI 0.56: packages/cli/src/config/config.ts, docs/cli/headless.md, docs/cli/trusted-folders.md. Tried with 0.61.0. */
const gemini: CommandProfile = {
  name: "gemini",
  title: "Gemini CLI",
  command: "gemini",
  args: ["--output-format", "stream-json", "--approval-mode", "yolo", ["--model", "{{model}}"]],
  install: "Install it with 'npm install -g @google/gemini-cli', or set 'command' to where it is.",
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  // Not GOOGLE_GEMINI_BASE_URL: with it, it asks for a login that it does not have without a person.
  variables: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
  // In a folder that it does not trust it falls back to asking.
  fixedVariables: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_SANDBOX: "false" },
  output: { is: "json_lines", read: readGeminiLine },
  stop: "kill",
};

/** opencode 1.18.18: packages/opencode/src/cli/cmd/run.ts, packages/core/src/flag/flag.ts. Tried with 1.18.33. */
const opencode: CommandProfile = {
  name: "opencode",
  title: "opencode",
  command: "opencode",
  // The long name of `--auto`, which older versions know too. The model is `<provider>/<model>`.
  args: ["run", "--format", "json", "--dangerously-skip-permissions", ["--model", "{{model}}"]],
  install: "Install it with 'npm install -g opencode-ai', or set 'command' to where it is.",
  keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "OPENCODE_API_KEY"],
  variables: ["OPENCODE_CONFIG_CONTENT"],
  fixedVariables: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  output: { is: "json_lines", read: readOpencodeLine },
  stop: "kill",
};

/** Qwen Code 0.22.0: docs/users/features/headless.md, docs/users/configuration/auth.md. Tried with 0.24.4. */
const qwenCode: CommandProfile = {
  name: "qwen-code",
  title: "Qwen Code",
  command: "qwen",
  // Without a type of login it takes the key only together with variables for the address and the model.
  args: [
    "--output-format",
    "stream-json",
    "--approval-mode",
    "yolo",
    "--auth-type",
    "openai",
    ["--model", "{{model}}"],
  ],
  install: "Install it with 'npm install -g @qwen-code/qwen-code', or set 'command' to where it is.",
  keys: ["OPENAI_API_KEY"],
  variables: ["OPENAI_BASE_URL", "OPENAI_MODEL"],
  fixedVariables: { QWEN_CODE_SUPPRESS_YOLO_WARNING: "1" },
  // The prompt's tokens are counted with those of the cache, and no cost is said.
  output: { is: "json_lines", read: messageLines({ isCachedApart: false }) },
  stop: "interrupt",
};

/**
 * aider 0.86.3: aider/args.py, aider/main.py. It sees only files that it is given or makes, for without a repository it
 * does not look for more, and with one it would commit.
 */
const aider: CommandProfile = {
  name: "aider",
  title: "aider",
  command: "aider",
  args: [
    "--message-file",
    "{{prompt_file}}",
    "--yes-always",
    "--no-git",
    "--no-auto-commits",
    ["--map-tokens", "0"],
    "--no-pretty",
    "--no-stream",
    "--no-fancy-input",
    "--no-check-update",
    "--no-show-release-notes",
    "--no-show-model-warnings",
    "--no-analytics",
    "--no-detect-urls",
    "--no-suggest-shell-commands",
    // They would become files of the project.
    ["--chat-history-file", "/dev/null"],
    ["--input-history-file", "/dev/null"],
    ["--model", "{{model}}"],
  ],
  install: "Install it with 'pipx install aider-chat', or set 'command' to where it is.",
  keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY"],
  variables: ["OPENAI_API_BASE", "AIDER_MODEL"],
  // Its lines are wrapped at the width of a terminal, even where there is none.
  fixedVariables: { COLUMNS: "4000" },
  output: { is: "text", read: readAiderLine },
  stop: "interrupt",
};

/** Any other program: its command comes from the settings, and all that it prints is log. */
export const plainProfile: CommandProfile = {
  name: "plain",
  title: "The command",
  command: "",
  args: [],
  install: "Install it, or set 'command' to where it is.",
  keys: [],
  variables: [],
  fixedVariables: {},
  output: { is: "text", read: () => [] },
  stop: "kill",
  isAnyProgram: true,
};

/** The command-line agents that need no more than a name. */
export const profiles: readonly CommandProfile[] = [claudeCode, codex, gemini, opencode, aider, qwenCode];

export function findProfile(name: string): CommandProfile | undefined {
  return profiles.find((profile) => profile.name === name);
}
