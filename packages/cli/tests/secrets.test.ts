import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { CommandGroup } from "../src/command.ts";
import { commands } from "../src/commands.ts";
import { askHidden } from "../src/output/ask-hidden.ts";
import { FakeService } from "./fake-service.ts";
import { folderWith, helloDocument, slipway, unsetEnv } from "./run-slipway.ts";

const at = "2026-11-15T09:30:00.000Z";
const secret = { name: "DATABASE_URL", is_shared: false, updated_by: "usr_1", created_at: at, updated_at: at };
const path = "/api/v1/secrets/DATABASE_URL";

describe("slipway secrets", () => {
  test("set reads the value from standard input and prints nothing of it", async () => {
    const service = (await new FakeService().listen()).answer(`PUT ${path}`, secret);
    const input = "postgres://ada:open sesame@db\n";
    const { code, out, err } = await slipway(["secrets", "set", "DATABASE_URL"], { env: service.env, input });
    expect([code, out, err]).toEqual([0, "DATABASE_URL is set\n", ""]);
    const [asked] = service.asked;
    expect([asked?.url, JSON.parse(asked?.body ?? "")]).toEqual([path, { value: "postgres://ada:open sesame@db" }]);
  });

  test("set takes no value from the command line, and none that is empty", async () => {
    const service = await new FakeService().listen();
    const given = await slipway(["secrets", "set", "DATABASE_URL", "sesame"], { env: service.env });
    expect([given.code, service.asked]).toEqual([2, []]);
    expect((await slipway(["secrets", "set", "DATABASE_URL"], { env: service.env })).code).toBe(2);
    expect((await slipway(["secrets", "set", "../users"], { env: service.env, input: "x" })).code).toBe(2);
    expect(service.asked).toEqual([]);
  });

  test("list shows names, rm removes one, and --shared means everybody's", async () => {
    const service = (await new FakeService().listen())
      .answer("GET /api/v1/secrets", {
        secrets: [secret, { ...secret, name: "KEY", is_shared: true }],
        next_cursor: null,
      })
      .answer(`DELETE ${path}`, () => ({ status: 204, body: null }));
    expect((await slipway(["secrets", "list"], { env: service.env })).out).toBe(
      `NAME          FOR        SET\nDATABASE_URL  you        ${at}\nKEY           everybody  ${at}\n`,
    );
    const { out } = await slipway(["secrets", "rm", "DATABASE_URL", "--shared"], { env: service.env });
    expect([out, service.asked.at(-1)?.url]).toEqual(["DATABASE_URL is removed\n", `${path}?shared=true`]);
  });

  test("set may be the first command on a machine; the others need a service that has run", async () => {
    const folder = await folderWith({});
    const env = { ...unsetEnv, SLIPWAY_DATA: `${folder}/none` };
    const { code, err } = await slipway(["secrets", "list"], { env, cwd: folder });
    expect([code, err]).toEqual([5, expect.stringContaining("no service has run")]);
    const group = commands.find(({ name }) => name === "secrets") as CommandGroup;
    const creating = group.commands.filter((command) => command.needs !== undefined && command.mayCreate);
    expect(creating.map(({ name }) => name)).toEqual(["set"]);
  });

  test("a plan lists the secrets that a document names", async () => {
    const secrets = "secrets: { provider: env://local, required: [A], optional: [B] }\n";
    const folder = await folderWith({ "app.yaml": helloDocument + secrets });
    const { out } = await slipway(["plan", "app.yaml"], { cwd: folder });
    expect(out).toContain("It needs secrets from the provider 'environment': A, B (optional).");
    const { out: json } = await slipway(["plan", "app.yaml", "--json"], { cwd: folder });
    expect(JSON.parse(json).secrets).toEqual({ provider: "environment", required: ["A"], optional: ["B"] });
  });

  test("a run with missing secrets ends before anything starts, with all names and the commands", async () => {
    const folder = await folderWith({ "app.yaml": helloDocument });
    const service = await new FakeService().listen();
    service.plan.secrets = ["A", "B"].map((name) => ({
      name,
      provider: "slipway",
      is_required: true,
      is_found: false,
      reason: `Required secret '${name}' not found in provider 'slipway'`,
      remedy: `Set it: slipway secrets set ${name}`,
    }));
    const { code, err } = await slipway(["run", "app.yaml"], { env: service.env, cwd: folder });
    expect(code).toBe(1);
    expect(err).toContain(
      "Required secret 'A' not found in provider 'slipway'\nRequired secret 'B' not found in provider 'slipway'\nSet it: slipway secrets set A\nSet it: slipway secrets set B",
    );
    expect(service.asked.every(({ url }) => url.includes("dry_run=true"))).toBe(true);
  });
});

describe("a hidden question", () => {
  /** What a terminal gives, key by key. */
  async function type(...keys: readonly (string | Buffer)[]) {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
    let shown = "";
    let interrupts = 0;
    const asked = askHidden(
      input,
      (text) => {
        // Whoever answers the moment the question appears must not be shown either.
        expect(modes[0]).toBe(true);
        shown += text;
      },
      "Value: ",
      () => {
        interrupts += 1;
      },
    );
    for (const key of keys) input.write(key);
    return { value: await asked, shown, modes, interrupts };
  }

  test("shows nothing of the answer, takes corrections, and leaves the terminal as it was", async () => {
    const euro = Buffer.from("€");
    const typed = await type("se", "x\u007f", "same", euro.subarray(0, 1), euro.subarray(1), "\r");
    expect(typed).toEqual({ value: "sesame€", shown: "Value: \n", modes: [true, false], interrupts: 0 });
  });

  test("is interrupted by Ctrl-C", async () => {
    expect(await type("ses", "\u0003")).toMatchObject({ value: "", modes: [true, false], interrupts: 1 });
  });
});
