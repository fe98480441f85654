import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillTemplate, isTemplateName, parseSpec, secretNamed, templateNames, templateParts } from "../src/index.ts";

describe("the parts of a template", () => {
  test("are what stands in double braces, with their places", () => {
    expect(templateParts("{{project.name}} is in {{ phase }}.")).toEqual([
      { name: "project.name", start: 0, end: 16 },
      { name: "phase", start: 23, end: 34 },
    ]);
  });

  test.for(["", "a", "{a}", "{{", "}}", "{{a", "a}}", "{{a}", "{ {a} }", "{{a\nb}}", "{{{}"])("%j has none", (text) => {
    expect(templateParts(text)).toEqual([]);
  });

  test("are the innermost where braces stand in braces", () => {
    expect(templateParts("{{{a}}}").map(({ name }) => name)).toEqual(["a"]);
    expect(templateParts("{{a{{b}}c}}").map(({ name }) => name)).toEqual(["b"]);
  });

  test("may be empty", () => {
    expect(templateParts("{{}} {{ }}").map(({ name }) => name)).toEqual(["", ""]);
  });

  test("of any text lie in it, in order, and say what stands there", () => {
    const pieces = fc.array(fc.constantFrom("{{", "}}", "{", "}", "a", " ", "\n", "phase", "secrets.X"), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(pieces, (some) => {
        const text = some.join("");
        let from = 0;
        for (const { name, start, end } of templateParts(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(text.slice(start, end)).toMatch(/^\{\{[^{}\n]*\}\}$/);
          expect(text.slice(start + 2, end - 2).trim()).toBe(name);
          from = end;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("filling in", () => {
  const values: Readonly<Record<string, string>> = { "project.name": "Shop", phase: "build" };
  const fill = (text: string) => fillTemplate(text, (name) => values[name]);

  test("puts values in the place of names", () => {
    expect(fill("{{project.name}}: {{ phase }} is done")).toBe("Shop: build is done");
  });

  test("leaves names that are not known as they are written", () => {
    expect(fill("{{ nobody }} {{phase}} {{")).toBe("{{ nobody }} build {{");
  });

  test("does not fill in what was filled in", () => {
    expect(fillTemplate("{{a}}{{b}}", (name) => (name === "a" ? "{{b}}" : "$&"))).toBe("{{b}}$&");
  });

  test("may fill in nothing", () => {
    expect(fillTemplate("a{{b}}c", () => "")).toBe("ac");
  });

  test("changes nothing where nothing is known", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "a", "\n", "{{", "}}") }), (text) => {
        expect(fillTemplate(text, () => undefined)).toBe(text);
      }),
    );
  });
});

describe("names", () => {
  test("come from a closed list", () => {
    expect(Object.keys(templateNames).every(isTemplateName)).toBe(true);
    expect(["project", "secrets.X", "toString", "", "Phase"].some(isTemplateName)).toBe(false);
  });

  test("of secrets say which", () => {
    expect(["secrets.TOKEN", "secrets.a.b", "secrets.", "secrets", "phase", "secrets.A B"].map(secretNamed)).toEqual([
      "TOKEN",
      "a.b",
      ...[undefined, undefined, undefined, undefined],
    ]);
  });
});

describe("in a document", () => {
  const found = (extra: string) =>
    parseSpec(`spec_version: "1.0.0"
id: a
name: "{{nobody}}"
description: "{{secrets.A}} is plain text here"
outcome_type: api
acceptance: { commands: ["echo {{nobody}}"] }
stack: { a: "{{nobody}}" }
secrets: { required: [LISTED] }
environments: { production: { secrets: { required: [FOR_PRODUCTION] } } }
metadata:
  integrations:
    ${extra}
`).diagnostics.map(({ code, pointer, line, column }) => [code, pointer, line, column]);

  const slack = "/metadata/integrations/slack";

  test("braces mean something in texts for people and in credentials only", () => {
    expect(found('slack: { channel: "#{{nobody}}" }')).toEqual([]);
  });

  test("a name that does not exist is a warning, at its place", () => {
    expect(found('slack: { message_templates: { errors: "x {{nobody}} {{phase}}" } }')).toEqual([
      ["unknown_template", `${slack}/message_templates/errors`, 12, 46],
    ]);
    expect(found('jira: { ticket_template: "{{ nobody }}" }')).toEqual([
      ["unknown_template", "/metadata/integrations/jira/ticket_template", 12, 31],
    ]);
    expect(found('jira: { ticket_template: { summary: "{{task}} {{nobody}}" } }')).toEqual([
      ["unknown_template", "/metadata/integrations/jira/ticket_template/summary", 12, 51],
    ]);
  });

  test("a name that is nearly one gets a suggestion", () => {
    const { diagnostics } = parseSpec(
      'metadata: { integrations: { slack: { message_templates: { errors: "{{project.nmae}}" } } } }',
    );
    expect(diagnostics.find(({ code }) => code === "unknown_template")?.suggestion).toBe(
      "Did you mean '{{project.name}}'?",
    );
  });

  test("a secret in a text is an error", () => {
    expect(found('slack: { message_templates: { errors: "{{secrets.LISTED}}" } }').map(([code]) => code)).toEqual([
      "secret_in_text",
    ]);
  });

  test("a secret in a credential is fine, if it is listed", () => {
    expect(found('slack: { webhook_url: "{{secrets.LISTED}}" }')).toEqual([]);
    expect(found('slack: { webhook_url: "https://hooks.example/{{secrets.FOR_PRODUCTION}}" }')).toEqual([]);
    expect(found('slack: { webhook_url: "{{secrets.OTHER}}" }').map(([code]) => code)).toEqual(["secret_not_listed"]);
  });
});
