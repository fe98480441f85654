// @module-tag soak
import type { LogPage } from "@slipway/contract";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { startJira } from "../../support/jira-server.ts";
import { type Heard, type Said, startOthersServer } from "../../support/others-server.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

process.env["JIRA_TEST_TOKEN"] = "jira-test-token";
afterAll(() => {
  delete process.env["JIRA_TEST_TOKEN"];
  delete process.env["SLACK_TEST_URL"];
  delete process.env["SIGNED_TEST_URL"];
});

let slackSays: (heard: Heard, nth: number) => Said | undefined = () => ({ status: 200, body: "ok" });
const slack = await startOthersServer((heard, nth) => slackSays(heard, nth));
process.env["SLACK_TEST_URL"] = `${slack.url}/services/T0/B0/very-secret`;
process.env["SIGNED_TEST_URL"] = `${slack.url}/workflows/T0/very-secret-XyZ?api=7&sig=Zk3v-aQ9%2Bx`;
let onWay = (_heard: Heard, answer: Said): Said => answer;
const jira = await startJira({ onWay: (heard, answer) => onWay(heard, answer) });
const cloud = await startJira({ hasSearch: false });

const app = await createTestApp({
  // What is told does not depend on what is built.
  engine: { agents: [scriptedAgent()], retryDelayMs: () => 0 },
  allowLocalWebhooks: true,
  jira: {
    declared: [jira, cloud].map(({ url }) => ({ url, email: "bot@example.com", token_env: "JIRA_TEST_TOKEN" })),
    file: "slipway.yaml",
  },
});

const document = (integrations: object, more: object = {}) =>
  documentOf({
    metadata: { integrations },
    network: { retries: { max_attempts: 3, backoff_factor: 1 } },
    ...more,
  });
const unbuildable = { requirements: { agents: { implementer: { capabilities: ["alchemy"] } } } };
const logOf = async (id: string, source: string) =>
  (await app.call({ url: `/api/v1/projects/${id}/logs?service=${source}` }))
    .json<LogPage>()
    .lines.map(({ text }) => text)
    .join("\n");
const said = (channel: string) =>
  slack.heard.filter(({ body }) => body["channel"] === channel).map(({ body }) => body["text"]);

describe("a document with Slack", () => {
  const all = { project_started: true, phase_completed: true, deployment_successful: true, errors: true };

  test("is told of what its switches say, in its own words, in order, at an address that is a secret", async () => {
    const id = await submit(
      app,
      document(
        {
          slack: {
            webhook_url: "{{secrets.SLACK_TEST_URL}}",
            channel: "#all",
            notifications: all,
            message_templates: { phase_completed: "{{project.id}} {{phase}} → {{next_phase}} <!here>" },
          },
        },
        { name: "Tom & <Jerry>", secrets: { provider: "environment", required: ["SLACK_TEST_URL"] } },
      ),
    );
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    await expect.poll(() => said("#all").length).toBe(6);
    const [started, ...rest] = said("#all");
    // What the author of the document wrote is markup, what is filled in is not.
    expect(started).toBe("*Tom &amp; &lt;Jerry&gt;* has started.");
    expect(rest.slice(0, 4)).toEqual([
      `${id} planning → implementation <!here>`,
      `${id} implementation → validation <!here>`,
      `${id} validation → deployment <!here>`,
      `${id} deployment →  <!here>`,
    ]);
    expect(rest[4]).toMatch(/^\*Tom &amp; &lt;Jerry&gt;\* is live: /);
    expect(slack.heard[0]).toMatchObject({ method: "POST", path: "/services/T0/B0/very-secret" });
  });

  test("hears of nothing that is switched off, and of failures by default", async () => {
    const id = await submit(app, document({ slack: { webhook_url: slack.url, channel: "#few" } }, unbuildable));
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed" });
    await expect.poll(() => said("#few")).toHaveLength(1);
    expect(said("#few")[0]).toMatch(/^\*.+\* failed in .+: No agents available with capabilities: \[alchemy\]/);
  });

  test("is tried again where Slack fails, as often as the document says, and the project goes on regardless", {
    tags: "long",
  }, async () => {
    slackSays = ({ body }) => ({ status: body["channel"] === "#flaky" ? 503 : 200 });
    const started = { project_started: true, deployment_successful: false };
    const flaky = { webhook_url: slack.url, channel: "#flaky", notifications: started };
    const id = await submit(app, document({ slack: flaky }));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    await expect.poll(() => logOf(id, "slack")).toContain("Slack answered 503. It is given up.");
    expect(await logOf(id, "slack")).toContain("Slack answered 503. It will be tried again.");
    expect(said("#flaky")).toHaveLength(3);
  });

  test("is given up at once where Slack says that it makes no sense, and the log says so without the address", async () => {
    slackSays = () => ({ status: 404, body: "channel_not_found" });
    const lost = { webhook_url: "{{secrets.SLACK_TEST_URL}}", channel: "#lost" };
    const secrets = { provider: "environment", required: ["SLACK_TEST_URL"] };
    const id = await submit(app, document({ slack: lost }, { ...unbuildable, secrets }));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "slack")) || undefined);
    expect(log).toContain("A message could not be sent: Slack answered 404 (channel_not_found). It is given up.");
    expect(log).not.toContain("very-secret");
    expect(said("#lost")).toHaveLength(1);
    slackSays = () => ({ status: 200 });
  });

  test("keeps its address secret where the answer repeats the path", async () => {
    slackSays = ({ path }) => ({ status: 404, body: `Cannot POST ${path}\u001b[2J` });
    const lost = { webhook_url: "{{secrets.SLACK_TEST_URL}}", channel: "#echo" };
    const secrets = { provider: "environment", required: ["SLACK_TEST_URL"] };
    const id = await submit(app, document({ slack: lost }, { ...unbuildable, secrets }));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "slack")) || undefined);
    expect(log).toContain("Slack answered 404 (Cannot POST ");
    expect(log).not.toContain("very-secret");
    slackSays = () => ({ status: 200 });
  });

  test.for([
    "Cannot POST /workflows/T0/very-secret-XyZ?api=7&sig=Zk3v-aQ9%2Bx",
    "The query ?api=7&sig=Zk3v-aQ9%2Bx is not known",
    "The signature Zk3v-aQ9%2Bx is not right",
    "The signature Zk3v-aQ9+x is not right",
    "There is no workflows/T0/very-secret-XyZ here",
    "There is no very-secret-XyZ here",
  ])("keeps its address secret where the answer repeats a part of it: %s", async (body) => {
    slackSays = () => ({ status: 404, body });
    const lost = { webhook_url: "{{secrets.SIGNED_TEST_URL}}", channel: "#signed" };
    const secrets = { provider: "environment", required: ["SIGNED_TEST_URL"] };
    const id = await submit(app, document({ slack: lost }, { ...unbuildable, secrets }));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "slack")) || undefined);
    expect(log).toMatch(/Slack answered 404 \((?:Cannot POST|There is no|The query|The signature) \*/);
    expect(log).not.toMatch(/XyZ|Zk3v|aQ9/);
    slackSays = () => ({ status: 200 });
  });

  test("keeps the beginning of a long address secret where the answer is cut", { tags: "long" }, async () => {
    const path = `/hook/${"XyZ-aQ9-".repeat(1_000)}`;
    process.env["LONG_TEST_URL"] = `${slack.url}${path}`;
    onTestFinished(() => void delete process.env["LONG_TEST_URL"]);
    slackSays = () => ({ status: 404, body: `There is no ${path.slice(1)} here` });
    const lost = { webhook_url: "{{secrets.LONG_TEST_URL}}", channel: "#long-address" };
    const secrets = { provider: "environment", required: ["LONG_TEST_URL"] };
    const id = await submit(app, document({ slack: lost }, { ...unbuildable, secrets }));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "slack")) || undefined);
    expect(log).toContain("Slack answered 404 (There is no ********…)");
    slackSays = () => ({ status: 200 });
  });

  test("with a message that is cut within a character does not keep others from theirs", { tags: "long" }, async () => {
    const errors = "x".repeat(3_998) + "👋".repeat(10);
    const long = { webhook_url: slack.url, channel: "#long", message_templates: { errors } };
    await untilEnded(app, await submit(app, document({ slack: long }, unbuildable)));
    const other = { webhook_url: slack.url, channel: "#other" };
    await untilEnded(app, await submit(app, document({ slack: other }, unbuildable)));
    await expect.poll(() => said("#other")).toHaveLength(1);
    await expect.poll(() => said("#long")).toHaveLength(1);
  });

  test("is told of an error that is cut within a character, and so are others", { tags: "long" }, async () => {
    const beginning = "No agents available with capabilities: [";
    const capability = `${"a".repeat(3_999 - beginning.length)}😀 and more`;
    const errors = { webhook_url: slack.url, channel: "#error", message_templates: { errors: "{{error}}" } };
    const failing = { requirements: { agents: { implementer: { capabilities: [capability] } } } };
    await untilEnded(app, await submit(app, document({ slack: errors }, failing)));
    const next = { webhook_url: slack.url, channel: "#next" };
    await untilEnded(app, await submit(app, document({ slack: next }, unbuildable)));
    await expect.poll(() => said("#next")).toHaveLength(1);
    await expect.poll(() => said("#error")).toEqual([expect.stringContaining(`${beginning}aaa`)]);
  });

  test("is never a way into the network that the service is in", async () => {
    const inside = { webhook_url: "https://169.254.169.254/latest/meta-data", channel: "#inside" };
    const id = await submit(app, document({ slack: inside }, unbuildable));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "slack")) || undefined);
    expect(log).toContain("Its address is not one that may be called");
  });
});

describe("a document with Jira", () => {
  const tickets = (instance: typeof jira, id: string) =>
    instance.tickets.filter(({ fields }) => fields.labels.some((label) => label.startsWith(`slipway-${id}`)));
  const shop = (instance: typeof jira, more: object = {}) => ({
    jira: { instance_url: `${instance.url}/`, project_key: "SHOP", issue_type: "Story", create_tickets: true, ...more },
  });

  test.for(
    soakCases([
      ["of one's own", jira],
      ["in the cloud", cloud],
    ] as const),
  )("has a ticket for the project and for each task, %s, added to and done with them", async ([, instance]) => {
    const template = { description: "{{task}} of {{project.name}}", customfield_1: "{{project.id}}" };
    const id = await submit(app, document(shop(instance, { ticket_template: template })));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    await expect.poll(() => tickets(instance, id)[0]?.comments.at(-1)).toMatch(/^Version .+ is live/);
    await expect.poll(() => tickets(instance, id).filter(({ status }) => status !== "done")).toEqual([]);
    const [project, ...tasks] = tickets(instance, id);
    expect(project).toMatchObject({
      fields: {
        project: { key: "SHOP" },
        issuetype: { name: "Story" },
        customfield_1: id,
        labels: ["slipway", `slipway-${id}`],
      },
    });
    expect(project!.comments).toContain("The phase {noformat}planning{noformat} is complete.");
    expect(tasks.length).toBeGreaterThan(2);
    for (const { fields, comments } of tasks) {
      expect(fields["description"]).toBe(`${fields.summary} of ${project!.fields.summary}`);
      expect(comments).toHaveLength(1);
    }
  });

  test("keeps the operator's token secret where the answer repeats it", async () => {
    onWay = ({ headers }) => ({ status: 403, body: { errorMessages: [`jira-test-token, ${headers.authorization}`] } });
    onTestFinished(() => {
      onWay = (_heard, answer) => answer;
    });
    const id = await submit(app, document(shop(jira), unbuildable));
    await untilEnded(app, id);
    const log = await until(async () => (await logOf(id, "jira")) || undefined);
    expect(log).toContain("Jira answered 403: ********, Basic ********");
    expect(log).not.toMatch(/jira-test-token|Ym90QGV4/);
  });

  test("has each ticket once, also where nobody heard that it was made", { tags: "long" }, async () => {
    let isLost = false;
    onWay = ({ path }, answer) => {
      if (isLost || path !== "/rest/api/2/issue") return answer;
      isLost = true;
      return { status: 502 };
    };
    const id = await submit(app, document(shop(jira), unbuildable));
    await untilEnded(app, id);
    await expect.poll(() => tickets(jira, id)[0]?.comments.at(-1)).toMatch(/^Failed in/);
    expect(tickets(jira, id).filter(({ fields }) => fields.labels.includes(`slipway-${id}`))).toHaveLength(1);
    expect(isLost).toBe(true);
  });

  test.for(
    soakCases([
      ["/comment", { status: 400, body: { errorMessages: [null, "a\u0000b"], errors: { field: { toString: 1 } } } }],
      ["/comment", { status: 400, body: { errorMessages: null, errors: null } }],
      ["/transitions", { status: 200, body: { transitions: null } }],
      ["/transitions", { status: 200, body: { transitions: [null, { to: null }, { to: { statusCategory: 1 } }] } }],
    ] as const),
  )("is added to once, whatever Jira answers to %s (%#)", async ([path, odd]) => {
    onWay = (heard, answer) => (heard.path.endsWith(path) && heard.method !== "PUT" ? odd : answer);
    const id = await submit(app, document(shop(jira)));
    await untilEnded(app, id);
    // Each notice waits for the one before.
    await expect.poll(() => tickets(jira, id)[0]?.comments.at(-1)).toMatch(/^Version .+ is live/);
    const comments = tickets(jira, id).flatMap((one) => one.comments.map((text) => `${one.key} ${text}`));
    expect(new Set(comments).size).toBe(comments.length);
    onWay = (_heard, answer) => answer;
  });

  test.for([{ key: "SHOP-1\u0000" }, { key: "k".repeat(300) }, { key: ["SHOP-1"] }, null])(
    "has no ticket where Jira names none that could be one (%#)",
    async (body) => {
      onWay = ({ path }, answer) => (path === "/rest/api/2/issue" ? { status: 201, body } : answer);
      const id = await submit(app, document(shop(jira), unbuildable));
      await untilEnded(app, id);
      await expect
        .poll(() => logOf(id, "jira"))
        .toContain("A ticket could not be made: Jira did not say which ticket it made. It is given up.");
      onWay = (_heard, answer) => answer;
    },
  );

  test("is told what is missing where the operator has declared no such instance, and the project goes on", async () => {
    const id = await submit(app, document({ jira: { ...shop(jira).jira, instance_url: "https://jira.example.com" } }));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const log = await until(async () => (await logOf(id, "jira")) || undefined);
    expect(log).toContain("The operator has declared no credentials for https://jira.example.com. It is given up.");
    const dry = await app.call({
      method: "POST",
      url: "/api/v1/projects?dry_run=true",
      headers: { "content-type": "application/yaml" },
      payload: document({ jira: { ...shop(jira).jira, instance_url: "https://jira.example.com" } }),
    });
    expect(dry.json<{ unmet: unknown[] }>().unmet).toContainEqual({
      line: expect.any(Number),
      pointer: "/metadata/integrations/jira/instance_url",
      reason: "The operator has declared no credentials for https://jira.example.com.",
    });
  });

  test("has no tickets where it does not ask for any", { tags: "long" }, async () => {
    const id = await submit(app, document({ ...shop(jira, { create_tickets: false }) }));
    await untilEnded(app, id);
    const next = await submit(app, document(shop(jira)));
    await untilEnded(app, next);
    await expect.poll(() => tickets(jira, next).length).toBeGreaterThan(0);
    expect(tickets(jira, id)).toEqual([]);
  });
});
