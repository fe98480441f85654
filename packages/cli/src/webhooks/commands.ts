import { type CommandGroup, pageOptions } from "../command.ts";

const webhook = { name: "<webhook-id>", description: "the webhook; 'slipway webhooks list' shows its id" };
const delivery = { name: "<delivery-id>", description: "the delivery; 'slipway webhooks deliveries' shows its id" };
const paging = [...pageOptions("items")];
const sequence = {
  flags: "--sequence <range>",
  description: "only this range of the project's sequence: 5-9, 5- or 7 (requires --project)",
};
const settings = [
  { flags: "--project <id>", description: "only events of this project" },
  {
    flags: "--ordering <ordering>",
    description: "none, or project: deliver each project's events in order (default: none)",
  },
  { flags: "--description <text>", description: "the webhook's purpose" },
];
const secret = (description: string) => ({
  flags: "--secret <secret>",
  description: `${description}; '-' reads it from standard input`,
});

export const webhookCommands: CommandGroup = {
  name: "webhooks",
  description: "Manage webhooks and test their receivers.",
  exitCodes: { 1: "a delivery or a check failed", 4: "the webhook or delivery does not exist" },
  examples: [
    "slipway webhooks listen --forward-to http://127.0.0.1:3000/hook",
    "slipway webhooks verify http://127.0.0.1:3000/hook --secret -",
    "slipway webhooks create https://hooks.example.com/slipway --events project.deployed,project.failed",
    "slipway webhooks replay wh_… --since 2h --dry-run",
  ],
  commands: [
    {
      name: "list",
      description: "List webhooks, newest first.",
      options: paging,
      needs: "api",
      run: async (context) => (await import("./list-webhooks.ts")).listWebhooks(context),
    },
    {
      name: "show",
      description: "Show a webhook's settings and status.",
      arguments: [webhook],
      needs: "api",
      run: async (context) => (await import("./show-webhook.ts")).showWebhook(context),
    },
    {
      name: "create",
      description: "Register a webhook. Without --secret, the command generates one and shows it only once.",
      arguments: [{ name: "<url>", description: "the https address that receives the events" }],
      options: [
        { flags: "--events <list>", description: "the events, separated by commas; '*' means all", isRequired: true },
        secret("the secret that signs deliveries"),
        { flags: "--team <team>", description: "the team whose projects it tells of; its members manage it" },
        ...settings,
      ],
      examples: ["slipway webhooks create https://example.com/hooks --events project.deployed,project.failed"],
      needs: "api",
      run: async (context) => (await import("./change-webhook.ts")).createWebhook(context),
    },
    {
      name: "change",
      description: "Change the given settings of a webhook.",
      arguments: [webhook],
      options: [
        { flags: "--webhook-url <address>", description: "the address that receives the events" },
        { flags: "--events <list>", description: "the events, separated by commas; '*' means all" },
        ...settings,
        { flags: "--all-projects", description: "events of every project" },
      ],
      needs: "api",
      run: async (context) => (await import("./change-webhook.ts")).changeWebhook(context),
    },
    {
      name: "enable",
      description: "Reactivate a webhook; deliveries continue where they stopped.",
      arguments: [webhook],
      needs: "api",
      run: async (context) => (await import("./change-webhook.ts")).enableWebhook(context),
    },
    {
      name: "disable",
      description: "Stop all deliveries to a webhook until it is enabled.",
      arguments: [webhook],
      needs: "api",
      run: async (context) => (await import("./change-webhook.ts")).disableWebhook(context),
    },
    {
      name: "delete",
      description: "Delete a webhook and its waiting deliveries.",
      arguments: [webhook],
      needs: "api",
      run: async (context) => (await import("./change-webhook.ts")).deleteWebhook(context),
    },
    {
      name: "test",
      description: "Send a webhook.test event to a webhook and show the result.",
      arguments: [webhook],
      needs: "api",
      run: async (context) => (await import("./show-delivery.ts")).testWebhook(context),
    },
    {
      name: "rotate-secret",
      description: "Replace a webhook's secret. Without --secret, the service generates one and shows it only once.",
      arguments: [webhook],
      options: [
        secret("the new secret"),
        { flags: "--overlap <time>", description: "how long the old secret stays valid: 90s, 2h, 7d (default: 24h)" },
      ],
      needs: "api",
      run: async (context) => (await import("./rotate-secret.ts")).rotateSecret(context),
    },
    {
      name: "deliveries",
      description: "List a webhook's deliveries, newest first.",
      arguments: [webhook],
      options: [
        { flags: "--status <status>", description: "only pending, delivered, failed or withheld deliveries" },
        { flags: "--event <name>", description: "only this event" },
        { flags: "--project <id>", description: "only events of this project" },
        sequence,
        ...paging,
      ],
      needs: "api",
      run: async (context) => (await import("./list-deliveries.ts")).listDeliveries(context),
    },
    {
      name: "delivery",
      description: "Show a delivery and its attempts: request, response, timing and cause of failure.",
      arguments: [delivery],
      needs: "api",
      run: async (context) => (await import("./show-delivery.ts")).showDelivery(context),
    },
    {
      name: "redeliver",
      description: "Send a delivery again, now.",
      arguments: [delivery],
      needs: "api",
      run: async (context) => (await import("./show-delivery.ts")).redeliver(context),
    },
    {
      name: "replay",
      description: "Send past events to a webhook, including events older than the webhook.",
      arguments: [webhook],
      options: [
        { flags: "--since <time>", description: "events since then: 2026-11-15T09:30:00Z, or 2h for two hours ago" },
        { flags: "--until <time>", description: "events before then" },
        { flags: "--events <list>", description: "only these events, separated by commas" },
        { flags: "--project <id>", description: "only events of this project" },
        sequence,
        { flags: "--dry-run", description: "send nothing; show what would be sent" },
      ],
      needs: "api",
      run: async (context) => (await import("./replay-deliveries.ts")).replayDeliveries(context),
    },
    {
      name: "events",
      description: "List all events a webhook can receive; --json includes their schemas.",
      run: async (context) => (await import("./list-events.ts")).listEvents(context),
    },
    {
      name: "listen",
      description: "Receive events on this machine as a webhook would, and verify and print them. Needs no tunnel.",
      options: [
        { flags: "--events <list>", description: "only these events, separated by commas (default: all)" },
        { flags: "--project <id>", description: "only events of this project" },
        { flags: "--forward-to <address>", description: "forward each delivery to this address on this machine" },
        secret("sign forwarded deliveries with this secret"),
        { flags: "--print <what>", description: "line or body (default: line)" },
      ],
      // It keeps running: a 'slipway run' in another terminal then uses the service that was started for it.
      needs: "worker",
      run: async (context) => (await import("./listen.ts")).listen(context),
    },
    {
      name: "verify",
      description: "Check a receiver: send it valid and invalid deliveries, and judge its responses.",
      arguments: [{ name: "<url>", description: "the receiver's address; it may be on this machine" }],
      options: [secret("the receiver's secret (default: SLIPWAY_WEBHOOK_SECRET)")],
      run: async (context) => (await import("./receiver/verify-receiver.ts")).verifyReceiver(context),
    },
  ],
};
