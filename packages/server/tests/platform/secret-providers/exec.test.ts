import { describe, expect, test } from "vitest";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";

const ask = askingProviders();
const exec = (script: string, more: object = {}, ...args: readonly string[]) => ({
  kind: "exec",
  name: "pass",
  command: ["/bin/sh", "-c", script, "sh", ...args],
  ...more,
});

describe("a program of the operator", () => {
  test("is run for each secret, without a shell in between", async () => {
    const declared = exec('printf "%s|" "$@"; echo', {}, "show", "{name}", "team/{name}");
    expect(await ask({ declared, secrets: { required: ["KEY", "A.b-c"] } })).toEqual({
      values: { KEY: "show|KEY|team/KEY|", "A.b-c": "show|A.b-c|team/A.b-c|" },
    });
    // A name that would be an option or a command is never passed on.
    expect(await ask({ declared, secrets: { required: ["--help", "$(id)", "a b"] } })).toMatchObject({
      message: expect.stringContaining(missingLines("pass", "--help", "$(id)", "a b")),
    });
  });

  test("is run once if it prints a map, from which the names are taken", async () => {
    const declared = exec(`echo '{"KEY": "sesame", "PORT": 5432, "MAP": {}}'`);
    expect(await ask({ declared, secrets: { required: ["KEY", "PORT"] } })).toEqual({
      values: { KEY: "sesame", PORT: "5432" },
    });
    expect(await ask({ declared, secrets: { required: ["A", "KEY", "toString"] } })).toMatchObject({
      message: expect.stringContaining(missingLines("pass", "A", "toString")),
    });
    const broken = await ask({ declared: exec("echo sesame"), secrets: { required: ["KEY"] } });
    expect(broken).toMatchObject({ message: expect.stringContaining("did not print a JSON map") });
    expect(JSON.stringify(broken)).not.toContain("sesame");
  });

  test("gets the document's path where its command has a place for it", async () => {
    const declared = exec('echo "$1"', {}, "op://{path}/{name}");
    expect(await ask({ declared, secrets: { provider: "pass://shop/db", required: ["KEY"] } })).toEqual({
      values: { KEY: "op://shop/db/KEY" },
    });
    for (const provider of ["pass", "pass://", "pass://../x", "pass://a b"])
      expect(await ask({ declared, secrets: { provider, required: ["KEY"] } })).toMatchObject({
        code: "secret_provider",
      });
  });

  test("gets the variables that the operator lists and no others", async () => {
    const environment = { PATH: process.env["PATH"], TOKEN: "given", SLIPWAY_MASTER_KEY: "never", OTHER: "not" };
    const declared = exec(
      "env | sort | grep -vE '^(PWD|OLDPWD|SHLVL|_)=' | tr '\\n' ' '",
      { env: ["TOKEN"] },
      "{name}",
    );
    expect(await ask({ declared, environment, secrets: { required: ["KEY"] } })).toEqual({
      values: { KEY: `PATH=${environment.PATH} TOKEN=given ` },
    });
  });

  test("says that a secret is missing, or why it failed, and never a credential", async () => {
    const script =
      'test "$1" = KEY && echo sesame && exit; test "$1" = BAD && echo "bad $TOKEN" >&2 && exit 3; echo "$1 is not in the store" >&2; exit 1';
    const declared = exec(script, { env: ["TOKEN"], not_found: "is not in the store" }, "{name}");
    const environment = { TOKEN: "hunter2-hunter2" };
    expect(await ask({ declared, environment, secrets: { required: ["KEY", "A", "B"] } })).toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(missingLines("pass", "A", "B")),
    });
    expect(await ask({ declared, environment, secrets: { required: ["BAD"] } })).toMatchObject({
      message: "Unable to authenticate with secret provider 'pass': its program failed (exit code 3): bad ********",
    });
  });

  test("that is not there, hangs or prints without end fails", async () => {
    const secrets = { required: ["KEY"] };
    const message = async (declared: object) =>
      (await ask({ declared, secrets })) as { message: string; isTransient: boolean };
    expect(await message({ kind: "exec", command: ["no-such-program-here", "{name}"] })).toMatchObject({
      message: expect.stringContaining("is not installed where the service runs"),
    });
    expect(await message(exec("exec sleep 600", { timeout_seconds: 1 }, "{name}"))).toMatchObject({
      message: expect.stringContaining("did not end within 1 s"),
      isTransient: true,
    });
    // For all names together, also with programs that it leaves behind.
    const slow = exec("sleep 0.7; sleep 5 & wait", { timeout_seconds: 1 }, "{name}");
    expect(await ask({ declared: slow, secrets: { required: ["A", "B", "C"] } })).toMatchObject({
      message: expect.stringContaining("did not end within 1 s"),
    });
    expect(await message(exec("exec yes", {}, "{name}"))).toMatchObject({
      message: expect.stringContaining("printed too much"),
    });
  });
});
