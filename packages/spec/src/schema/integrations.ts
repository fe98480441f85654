import { boolean, either, map, object, string, withDefault, withOthers } from "./shape.ts";

const message = (description: string) => string(description, { "x-slipway-template": "text" });

const jira = object("Tickets in Jira.", {
  instance_url: string("Address of the Jira instance; the operator declares its credentials.", {
    pattern: "^https?://",
    patternErrorMessage: "an address that starts with 'https://'",
    examples: ["https://example.atlassian.net"],
  }),
  project_key: string("Key of the Jira project.", { minLength: 1, examples: ["SHOP"] }),
  issue_type: withDefault(string("Type of the tickets.", { minLength: 1 }), "Task"),
  create_tickets: withDefault(boolean("Create a ticket for the project and one for each task of its plan."), false),
  ticket_template: either("Text of a ticket.", [
    message("The ticket's text."),
    map("Texts of the ticket's fields, by field.", message("Text of the field.")),
  ]),
});

const slack = object("Messages in Slack.", {
  webhook_url: string("Address of the incoming webhook: usually a template that names a secret.", {
    pattern: "^(https?://|\\{\\{)",
    patternErrorMessage: "an address that starts with 'https://', or a template such as '{{secrets.NAME}}'",
    "x-slipway-template": "credential",
    examples: ["{{secrets.SLACK_WEBHOOK_URL}}"],
  }),
  channel: string("Channel to write to.", { minLength: 1, examples: ["#releases"] }),
  notifications: withDefault(
    object("Which notifications are sent.", {
      project_started: withDefault(boolean("The project has started."), false),
      phase_completed: withDefault(boolean("A phase is complete."), false),
      deployment_successful: withDefault(boolean("A deployment is live."), true),
      errors: withDefault(boolean("Something failed."), true),
    }),
    {},
  ),
  message_templates: map(
    "Texts of the messages, by notification.",
    message("Text of the message; `{{project.name}}`, `{{phase}}` and others are filled in."),
    { examples: [{ phase_completed: "{{project.name}}: {{phase}} is complete" }] },
  ),
});

export const metadata = withOthers(
  object("Your own data about the document, and its integrations.", {
    integrations: object("External services that are notified.", { jira, slack }),
  }),
  "yours",
);
