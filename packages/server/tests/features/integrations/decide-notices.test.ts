import type { EventName } from "@slipway/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideNotices, type ProjectEvent } from "../../../src/features/integrations/decide-notices.ts";
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

describe("what others are told", () => {
  test("has no mention, link or markup that comes from elsewhere than the author, and stays within bounds", () => {
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
