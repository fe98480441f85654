import type { EventName } from "@slipway/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideNotices as decide, type ProjectEvent } from "../../../src/features/integrations/decide-notices.ts";
import { readJiraSettings, unmetIntegrations } from "../../../src/features/integrations/index.ts";

const notifications = { project_started: true, phase_completed: true, deployment_successful: true, errors: true };
const slack = { webhook_url: "https://hooks.example.com", notifications };
const jira = {
  instance_url: "https://jira.example.com",
  project_key: "SHOP",
  issue_type: "Task",
  create_tickets: true,
};
const event = (name: EventName, data: object, more: Partial<ProjectEvent> = {}): ProjectEvent => ({
  name,
  data: data as ProjectEvent["data"],
  projectId: "proj_1",
  document: { name: "Shop", metadata: { integrations: { slack, jira } } },
  tasks: [],
  projectUrl: "https://slipway.example.com/projects/proj_1",
  ...more,
});

const decideNotices = (told: ProjectEvent) => [...decide(told)];

describe("what others are told", () => {
  test("has no mention, link or markup that comes from elsewhere than the author, and stays within bounds", {
    tags: "long",
  }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 9_000 }), fc.string(), (message, phase) => {
        const error = { code: "x", message: `<!channel> {noformat}[~admin] ${message}` };
        const notices = decideNotices(
          event(
            "project.failed",
            { error, phase },
            {
              document: {
                name: "<@U1>",
                metadata: { integrations: { slack, jira } },
              },
            },
          ),
        );
        expect(notices).toHaveLength(2);
        for (const { action } of notices) {
          if (action.is === "message") {
            expect(action.text).not.toMatch(/[<>]/);
            expect(action.text.length).toBeLessThanOrEqual(4_000);
            expect(action.text.isWellFormed()).toBe(true);
          }
          if (action.is === "comment_ticket") {
            // Two quotations, and nothing that ends one early.
            expect(action.text.split("{noformat}")).toHaveLength(5);
          }
        }
      }),
    );
  });

  test("has one line as a ticket's summary, whatever the task is called", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (title) => {
        const tasks = [{ id: "a", phase: "implementation", title }];
        const data = { phase: "planning", next_phase: "implementation", artifacts: [] };
        const [, created] = decideNotices(event("project.phase_completed", data, { tasks })).filter(
          ({ target }) => target === "jira",
        );
        const { fields } = created!.action as { fields: Record<string, string> };
        expect(fields["summary"]).toMatch(/\S/);
        expect(fields["summary"]).not.toMatch(/[\r\n]/);
        expect(fields["summary"]!.length).toBeLessThanOrEqual(250);
      }),
    );
  });

  test("is cut between characters", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), (before) => {
        const text = "x".repeat(before) + "👋".repeat(20_000);
        const templates = { slack: { ...slack, message_templates: { project_started: text } } };
        const document = {
          metadata: { integrations: { ...templates, jira: { ...jira, ticket_template: { a: text } } } },
        };
        const notices = decideNotices(event("project.started", {}, { document: { name: text, ...document } }));
        expect(notices).toHaveLength(2);
        expect(JSON.stringify(notices)).not.toMatch(/\\ud[89a-f]/i);
      }),
    );
  });

  test("is cut between characters where a value alone is longer than a message", () => {
    const templates = { slack: { ...slack, message_templates: { errors: "{{error}}" } } };
    const document = { name: "Shop", metadata: { integrations: templates } };
    for (const before of [3_998, 3_999, 4_000]) {
      const error = { code: "x", message: `${"a".repeat(before)}😀 and more` };
      const [notice] = decideNotices(event("project.failed", { error, phase: "validation" }, { document }));
      const { text } = notice!.action as { text: string };
      expect(text).toHaveLength(4_000);
      expect(text.isWellFormed()).toBe(true);
      expect(text.endsWith("…")).toBe(true);
    }
  });

  test("does not grow with how often a template repeats a long value, or with the number of its fields", () => {
    const name = "n".repeat(200_000);
    const text = "{{project.name}}{{next_phase}}".repeat(10_000);
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, nth) => [`field_${nth}`, "{{next_phase}}"]));
    const metadata = (ticket_template: Record<string, string>) => ({
      integrations: {
        slack: { ...slack, message_templates: { phase_completed: text } },
        jira: { ...jira, ticket_template },
      },
    });
    const tasks = Array.from({ length: 200 }, (_, nth) => ({
      id: `${nth}`,
      phase: "implementation",
      title: `${nth}`,
    }));
    const planned = event("project.phase_completed", { phase: "planning" }, { tasks });
    for (const template of [{ description: text, one: text, two: text }, fields]) {
      const notices = decideNotices({ ...planned, document: { name, metadata: metadata(template) } });
      expect(notices).toHaveLength(202);
      for (const notice of notices) expect(JSON.stringify(notice).length).toBeLessThan(100_000);
    }
  });

  test("names the environment that a version went live in, or did not", () => {
    const live = { deployment_id: "dep_1", environment: "staging", version: "v2", url: "https://s.example.com" };
    const error = { code: "health_check_failed", message: "It answers [~admin] 500." };
    const texts = [
      event("deployment.completed", live),
      event("deployment.failed", { environment: "staging", version: "v2", error }),
    ].map((told) => decideNotices(told).map(({ action }) => "text" in action && action.text));
    expect(texts).toEqual([
      [
        "*Shop* is live in staging: https://s.example.com",
        "Version v2 is live in {noformat}staging{noformat}: https://s.example.com.",
      ],
      [
        "*Shop*: the deployment to staging failed: It answers [~admin] 500.",
        "The deployment to {noformat}staging{noformat} failed:\n{noformat}It answers [~admin] 500.{noformat}",
      ],
    ]);
  });

  test("says of a rollback's script that failed no more than that: which version is live, it does not tell", () => {
    const error = { code: "rollback_script_failed", message: "scripts.rollback ended with exit code 3." };
    const notices = decideNotices(event("deployment.failed", { environment: "production", version: "v2", error }));
    expect(notices.map(({ action }) => "text" in action && action.text)).toEqual([
      "*Shop*: a script of the rollback in production failed: scripts.rollback ended with exit code 3.",
      "A script of the rollback in {noformat}production{noformat} failed:\n{noformat}scripts.rollback ended with exit code 3.{noformat}",
    ]);
  });

  const ticketOf = (description: string) => {
    const tasks = [{ id: "a", phase: "implementation", title: "A", description }];
    const [, , ticket] = decideNotices(event("project.phase_completed", { phase: "planning" }, { tasks }));
    return (ticket!.action as { fields: Record<string, string> }).fields["description"]!;
  };
  const { projectUrl } = event("project.started", {});

  test.for([
    ["[~admin] {noformat}{color:red}", "[~admin] { noformat}{color:red}"],
    ["{nofor{noformat}mat} [~admin]", "{nofor{ noformat}mat} [~admin]"],
    ["{NoFormat:title=x} [~admin]", "{ NoFormat:title=x} [~admin]"],
  ] as const)("quotes what an agent has planned: %s", ([planned, quotation]) => {
    expect(ticketOf(planned)).toBe(`{noformat}${quotation}{noformat}\n\n${projectUrl}`);
  });

  test.for(["x".repeat(29_990), "{noformat}".repeat(3_000), "😀".repeat(20_000)])(
    "ends the quotation of a long plan, and names the project (%#)",
    (planned) => {
      const description = ticketOf(planned);
      expect(description.length).toBeLessThanOrEqual(30_000);
      expect(description.endsWith(`{noformat}\n\n${projectUrl}`)).toBe(true);
      expect(description.split("{noformat}")).toHaveLength(3);
    },
  );

  test("is nothing where a document has no integrations, or an event is nobody's business", () => {
    const none = { document: { name: "Shop" } };
    expect(decideNotices(event("project.failed", { error: { message: "" }, phase: "" }, none))).toEqual([]);
    expect(decideNotices(event("agent.task_failed", {}))).toEqual([]);
    expect(decideNotices(event("project.created", {}))).toEqual([]);
  });
});

describe("the operator's Jira instances", () => {
  test("are read with everything that is wrong said at once", () => {
    expect(readJiraSettings([{ url: "https://jira.example.com/", token_env: "T" }], "f")).toEqual([
      { url: "https://jira.example.com", email: undefined, tokenEnv: "T" },
    ]);
    expect(() => readJiraSettings("x", "f")).toThrow(
      "jira in f must be a list, each entry with 'url' and 'token_env'.",
    );
    expect(() => readJiraSettings([{ url: "ftp://x", token_env: "SLIPWAY_MASTER_KEY", token: "t" }], "f")).toThrow(
      /jira\[0\]\.token in f is not a key of jira\.[\s\S]*jira\[0\]\.url in f must be[\s\S]*jira\[0\]\.token_env in f must be the name/,
    );
  });

  test("are the only ones that documents can use", () => {
    const declared = readJiraSettings([{ url: "https://jira.example.com", token_env: "T" }], "f");
    const document = (more: object) => ({ metadata: { integrations: { jira: { ...jira, ...more } } } });
    expect(unmetIntegrations(declared, document({}))).toEqual([]);
    expect(unmetIntegrations(declared, document({ instance_url: "https://jira.example.com.evil.org" }))).toHaveLength(
      1,
    );
    expect(unmetIntegrations([], document({ create_tickets: false }))).toEqual([]);
  });
});
