import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";

/** How a command is called, and what it must say. */
export interface Row {
  /** After the command's name; `nth` is 1 the first time and 2 the second. */
  args?(place: Place, nth: number): readonly string[] | Promise<readonly string[]>;
  /** In the terminal. */
  readonly says: RegExp;
  /** What is typed, or piped in. */
  readonly input?: string;
  readonly code?: number;
  /** It goes on until Ctrl-C, pressed when it has said this. */
  readonly until?: RegExp;
  /** It is tried in the terminal, then in a pipe: the two differ, or later rows need what both made. */
  readonly isForBoth?: true;
}

const project = async (place: Place) => [await place.deployed()];
const waiting = async (place: Place) => [await place.waiting()];
const shop = () => ["shop"];
const hook = async ({ create, receiver }: Place) => {
  const { webhook_id } = await create("/webhooks", {
    url: receiver,
    events: ["*"],
    secret: `whsec_${"A".repeat(43)}=`,
  });
  return [webhook_id!];
};
const delivery = async (place: Place) => {
  const [id] = await hook(place);
  const { delivery_id } = await place.create(`/webhooks/${id}/test`, {});
  return [delivery_id!];
};
const key = async ({ create }: Place, nth: number) => {
  await create("/auth/api-keys", { name: `key${nth}`, scopes: ["projects:read"] });
};
const user = async ({ create }: Place, name: string) => {
  await create("/users", { name, role: "svc:user" });
  return [name];
};
const another = async ({ create }: Place, name: string) => {
  const { user_id } = await create("/users", { name, role: "svc:admin" });
  return (await create(`/users/${user_id}/tokens`, {}))["token"]!;
};
const written = (place: Place, name: string) => {
  writeFileSync(join(place.folder, name), "text\n");
  return name;
};

/** Commands that change what another finds stand in one list, and run one after the other; lists run side by side. */
export const lists: readonly Readonly<Record<string, Row>>[] = [
  {
    run: { args: () => ["shop.yaml"], says: /Shop is deployed after/, isForBoth: true },
    "projects acceptance": { args: project, says: /verdict|checked|passed|no lines/i },
    "projects watch": { args: project, says: /Shop is deployed after/ },
    "artifacts list": { args: project, says: /source_code/ },
    "artifacts get": {
      args: async (place, nth) => [await place.deployed(), "sbom", "--output", `sbom${nth}.json`],
      says: /sbom\d\.json: /,
    },
    "artifacts put": {
      args: async (place, nth) => [
        ...[await place.deployed(), written(place, `note${nth}.txt`), "--type", "documentation"],
      ],
      says: /note\d\.txt/,
    },
    "artifacts verify": { args: project, says: /none damaged/ },
    "source get": { args: (_, nth) => ["shop", `files${nth}`], says: /files[12]/ },
    "source put": { args: (_, nth) => ["shop", `files${nth}`], says: /files[12]|put|uploaded/i },
    "agents context": { args: () => ["builder"], says: /task/i },
    "agents vision": {
      args: async (place) => ["builder", "--file", "package.json", "--project-id", await place.deployed()],
      says: /"name"/,
    },
    diagnose: {
      args: async (place, nth) => [await place.deployed(), "--output", `report${nth}.json`],
      says: /report[12]\.json/,
    },
    "apps list": { says: /shop/ },
    "apps show": { args: shop, says: /Shop|shop/ },
    "apps open": { args: shop, says: /http:\/\/127\.0\.0\.1:\d+/ },
    "apps logs": { args: shop, says: /^/ },
    "apps restart": { args: shop, says: /live at/ },
    "apps scale": { args: () => ["shop", "--replicas", "1"], says: /shop|1/i },
    "apps rollback": { args: shop, says: /live/ },
    "apps promote": {
      args: (_, nth) => ["shop", "-e", "default", "--to", ["staging", "production"][nth - 1]!],
      ...{ says: /live/, isForBoth: true },
    },
    "projects deploy": { args: async (place) => [await place.deployed(), "staging"], says: /live/ },
    "apps share": { args: () => ["shop", "--nobody"], says: /shop|nobody/i },
    "apps stop": { args: () => ["shop", "-e", "staging"], says: /stopped/ },
    "apps start": { args: () => ["shop", "-e", "staging"], says: /live at/ },
    "apps delete": {
      args: (_, nth) => ["shop", "-e", ["staging", "production"][nth - 1]!, ...(nth === 2 ? ["--yes"] : [])],
      ...{ input: "yes\n", says: /removed/, isForBoth: true },
    },
  },
  {
    "projects show": { args: waiting, says: /waiting|approval/ },
    "projects reassign": {
      args: async (place) => [await place.waiting(), "--role", "implementer", "--agent-id", "builder"],
      ...{ says: /alchemy/, code: 3 },
    },
    "projects approve": {
      // Who submitted it may not, once there are several users.
      args: async (place, nth) => [await place.waiting(), "--deny", "--token", await another(place, `judge${nth}`)],
      says: /denied/,
    },
    "projects pause": { args: waiting, says: /paused/ },
    "projects resume": {
      args: async (place) => {
        const id = await place.waiting();
        await place.create(`/projects/${id}/pause`, {});
        return [id];
      },
      says: /resum|runs|waits/i,
    },
    "projects cancel": { args: waiting, says: /cancel/ },
    "projects restart": {
      args: async (place) => [await place.failed(), "--from-phase", "planning"],
      says: /restart/i,
    },
    "projects rollback": {
      args: async (place) => [await place.failed(), "--checkpoint", "ckpt_none"],
      ...{ says: /checkpoint/, code: 4 },
    },
    "projects retry": {
      args: async (place) => [await place.failed()],
      ...{ says: /'slipway projects restart proj_\w+ --from-phase implementation'/, code: 3 },
    },
    "health-check": {
      args: async (place) => {
        await place.failed();
        return [];
      },
      ...{ says: /alchemy/, code: 1 },
    },
    "projects delete": { args: async (place) => [await place.failed()], says: /deleted/ },
    "projects list": { says: /Hello/ },
    logs: { says: /ready|listening|engine|http/i },
    debug: { args: waiting, input: "inspect\nquit\n", says: /inspect|task|plan/ },
    open: { says: /http:\/\/127\.0\.0\.1:\d+\/#sign-in=/ },
  },
  {
    "webhooks create": {
      args: ({ receiver }, nth) => [`${receiver}${nth}`, "--events", "project.failed"],
      says: /whsec_|wh_/,
    },
    "webhooks list": { says: /project\.failed/ },
    "webhooks show": { args: hook, says: /active/ },
    "webhooks change": { args: async (place) => [...(await hook(place)), "--description", "new"], says: /wh_/ },
    "webhooks disable": { args: hook, says: /disabled/ },
    "webhooks enable": { args: hook, says: /active|enabled/ },
    "webhooks test": { args: hook, says: /delivered|200/ },
    "webhooks rotate-secret": { args: hook, says: /whsec_|secret/ },
    "webhooks deliveries": { args: hook, says: /dlv_|no deliveries/ },
    "webhooks delivery": { args: delivery, says: /webhook\.test/ },
    "webhooks redeliver": { args: delivery, says: /dlv_|deliver/ },
    "webhooks replay": { args: async (place) => [...(await hook(place)), "--since", "1h"], says: /event|replay/i },
    "webhooks events": { says: /project\.deployed/ },
    "webhooks listen": { says: /Listening/, until: /Listening/, code: 130 },
    "webhooks verify": {
      args: ({ receiver }) => [receiver, "--secret", `whsec_${"A".repeat(43)}=`],
      ...{ says: /signature/, code: 1 },
    },
    "webhooks delete": { args: hook, says: /deleted/ },
  },
  {
    "agents list": { says: /builder/ },
    "agents show": { args: () => ["builder"], says: /blueprint/ },
    "agents restart": { args: () => ["builder"], says: /restart/i },
    "agents create": {
      args: (_, nth) => ["--name", `farm${nth}`, "--kind", "worker", "--capabilities", "cobol"],
      says: /farm\d/,
    },
    "agents delete": { args: (_, nth) => [`farm${nth}`], says: /deleted/ },
    "secrets set": { args: (_, nth) => [`NAME${nth}`], input: "hush\n", says: /NAME\d/ },
    "secrets list": { says: /NAME\d/ },
    "secrets delete": { args: (_, nth) => [`NAME${nth}`], says: /NAME\d/ },
    "keys create": { args: (_, nth) => [`ci${nth}`, "--scopes", "projects:read"], says: /spec_sk_/ },
    "keys list": { says: /ci1/ },
    "keys rotate": {
      args: async (place, nth) => {
        await key(place, nth);
        return [`key${nth}`];
      },
      says: /spec_sk_/,
    },
    "keys delete": { args: (_, nth) => [`ci${nth}`], says: /ci1|revoked/ },
    "users create": { args: (_, nth) => [`ada${nth}`, "--role", "svc:user"], says: /ada[12]/ },
    "users list": { says: /ada[12]/ },
    "users set-role": { args: (_, nth) => [`ada${nth}`, "--role", "svc:readonly"], says: /svc:readonly/ },
    "users issue-tokens": { args: (_, nth) => [`ada${nth}`], says: /spec_ut_/ },
    "users end-tokens": { args: (_, nth) => [`ada${nth}`], says: /ended|ada[12]/ },
    "users delete": { args: (place, nth) => user(place, `eve${nth}`), says: /eve1|removed/ },
    "users restore": {
      args: async (place, nth) => {
        const { user_id } = await place.create("/users", { name: `ivy${nth}`, role: "svc:user" });
        await (await place.service.call(`/api/v1/users/${user_id}`, { method: "DELETE" })).text();
        return [user_id!];
      },
      says: /ivy1|restored|again/,
    },
    "teams create": { args: (_, nth) => [`team${nth}`], says: /team1 is created/ },
    "teams list": { says: /team1/ },
    "teams add": { args: (_, nth) => [`team${nth}`, `ada${nth}`], says: /is in the team now/ },
    "teams show": { args: (_, nth) => [`team${nth}`], says: /ada[12]/ },
    "teams remove": { args: (_, nth) => [`team${nth}`, `ada${nth}`], says: /no longer in the team/ },
    "teams delete": { args: (_, nth) => [`team${nth}`], says: /is deleted/ },
    "service-accounts create": { args: (_, nth) => [`pipe${nth}`, "--role", "svc:user"], says: /pipe\d/ },
    "service-accounts list": { says: /pipe\d/ },
    "service-accounts create-key": {
      args: (_, nth) => [`pipe${nth}`, "ci", "--scopes", "projects:read"],
      says: /spec_sk_/,
    },
    "service-accounts keys": { args: (_, nth) => [`pipe${nth}`], says: /projects:read/ },
    "service-accounts delete": { args: (_, nth) => [`pipe${nth}`], says: /removed|deleted|pipe1/ },
    "sessions list": { says: /./ },
    "sessions end": { args: () => ["01kaw3v9t2h5m8q1x7zc"], says: /not found|no/i, code: 4 },
    "audit list": { args: () => ["--action", "user.create"], says: /user\.create/ },
    "audit export": { says: /"action"/ },
    "audit verify": { says: /unchanged|entries|intact/i },
  },
  {
    login: {
      args: ({ service }) => [service.address, "--token", service.adminToken, "--context", "work"],
      says: /Logged in to/,
    },
    whoami: { says: /svc:admin/ },
    "contexts list": { says: /\bwork\b/ },
    "contexts use": { args: () => ["work"], says: /Using/ },
    logout: {
      args: (place, nth) => {
        const token = place.service.adminToken;
        const contexts = { work: { url: place.service.address, token } };
        writeFileSync(join(place.folder, "contexts.json"), JSON.stringify({ current: "work", contexts }));
        return nth === 1 ? [] : ["--context", "work"];
      },
      says: /forgotten/,
    },
    init: {
      args: (_, nth) => ["cli", "--output", `new${nth}.yaml`, "--name", "Tool"],
      input: "\n\n",
      says: /new[12]\.yaml/,
    },
    validate: { args: () => ["shop.yaml"], says: /valid/ },
    plan: { args: () => ["shop.yaml"], says: /phases/ },
    explain: { args: () => ["acceptance"], says: /acceptance/ },
    schema: { says: /2020-12/ },
    completion: { args: () => ["bash"], says: /complete/ },
    version: { says: /^\d+\.\d+\.\d+/ },
    upgrade: { args: () => [], says: /--check/, code: 2 },
  },
  {
    config: { says: /SLIPWAY_DATA/ },
    plugins: { args: () => ["list"], says: /plugin/ },
    service: { args: () => ["install", "--print"], says: /ExecStart/ },
    worker: { says: /--name|--url/, code: 2 },
    doctor: { says: /node/i },
    serve: { args: ({ service }) => ["--data", service.data, "--port", "0"], says: /in use by slipway/, code: 1 },
    backup: { args: (_, nth) => [`backup${nth}`], says: /backup1/ },
    restore: {
      args: (place, nth) => {
        const data = join(place.folder, `data${nth}`);
        mkdirSync(data, { mode: 0o700 });
        copyFileSync(join(place.service.data, "master-key"), join(data, "master-key"));
        return [`backup${nth}`, "--data", data];
      },
      says: /data\d/,
    },
  },
];

/** It changes what every other command is let in with. */
export const last: Readonly<Record<string, Row>> = {
  "admin-token": { args: () => ["rotate"], says: /spec_ut_|admin-token/ },
};
