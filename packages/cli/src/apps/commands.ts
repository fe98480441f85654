import { type Argument, type CommandGroup, type Option, pageOptions } from "../command.ts";

const app: Argument = {
  name: "[app]",
  description: "the application's id, its document's id, or one of its projects",
  flag: "--application-id <id>",
  missing: "give the application's id or its document's id; 'slipway apps list' shows them",
};
const environment: Option = {
  flags: "-e, --environment <name>",
  description: "the environment; needed if the application is deployed to several",
};

export const appCommands: CommandGroup = {
  name: "apps",
  description: "List what is deployed, and stop, start, switch or remove it.",
  exitCodes: { 1: "it is not healthy", 4: "the application or its deployment does not exist" },
  examples: [
    "slipway apps list",
    "slipway apps logs shop --follow",
    "slipway apps rollback shop --environment production --reason 'orders fail'",
    "slipway apps promote shop --environment staging --to production",
    "slipway apps stop shop",
  ],
  commands: [
    {
      name: "list",
      description: "List applications and what is deployed of them, newest first.",
      options: pageOptions("applications"),
      needs: "api",
      run: async (context) => (await import("./list-apps.ts")).listApps(context),
    },
    {
      name: "show",
      description: "Show what is deployed of an application, with its versions.",
      arguments: [app],
      options: [environment],
      needs: "api",
      run: async (context) => (await import("./show-app.ts")).showApp(context),
    },
    {
      name: "open",
      description: "Print the address of an application; in a terminal, also open it in the browser.",
      arguments: [app],
      options: [environment],
      needs: "api",
      run: async (context) => (await import("./show-app.ts")).openApp(context),
    },
    {
      name: "logs",
      description: "Show what the live version of an application has printed.",
      arguments: [app],
      options: [
        environment,
        { flags: "--contains <text>", description: "only lines that contain this text" },
        { flags: "--tail <lines>", description: "the maximum number of lines (default: 200)" },
        { flags: "--follow", description: "keep printing new lines" },
      ],
      json: "print each line as a line of JSON",
      needs: "api",
      run: async (context) => (await import("./show-app.ts")).showAppLogs(context),
    },
    {
      name: "stop",
      description: "Stop an application. Its address, data and versions are kept.",
      arguments: [app],
      options: [environment],
      needs: "api",
      run: async (context) => (await import("./change-app.ts")).stopApp(context),
    },
    {
      name: "start",
      description: "Start a stopped application at the same address, with its data.",
      arguments: [app],
      options: [environment],
      needs: "api",
      run: async (context) => (await import("./change-app.ts")).startApp(context),
    },
    {
      name: "restart",
      description: "Restart an application: a new copy takes over before the old one ends.",
      arguments: [app],
      options: [environment],
      needs: "api",
      run: async (context) => (await import("./change-app.ts")).restartApp(context),
    },
    {
      name: "promote",
      description: "Deploy what is live in one environment to another: the same files, nothing is built again.",
      arguments: [app],
      options: [
        { flags: "-e, --environment <name>", description: "where it is live; needed if that is in several" },
        {
          flags: "--to <name>",
          description: "where it is to go; default for the document's top level",
          isRequired: true,
        },
        { flags: "--timeout <minutes>", description: "how long to wait until it is live (default: 30)" },
      ],
      needs: "worker",
      run: async (context) => (await import("./promote-app.ts")).promoteApp(context),
    },
    {
      name: "rollback",
      description: "Make an earlier version live again; without --release, the one that was live before.",
      arguments: [app],
      options: [
        environment,
        { flags: "--release <id>", description: "the version; 'slipway apps show' lists them" },
        { flags: "--reason <text>", description: "why, for the history" },
      ],
      needs: "api",
      run: async (context) => (await import("./change-app.ts")).rollBackApp(context),
    },
    {
      name: "scale",
      description: "Change the number of copies of an application that run.",
      arguments: [app],
      options: [environment, { flags: "--replicas <number>", description: "how many copies run", isRequired: true }],
      needs: "api",
      run: async (context) => (await import("./change-app.ts")).scaleApp(context),
    },
    {
      name: "delete",
      aliases: ["rm", "remove"],
      description: "Take an application down, and remove its versions and its data.",
      arguments: [app],
      options: [environment, { flags: "--yes", description: "do not ask" }],
      needs: "api",
      run: async (context) => (await import("./remove-app.ts")).removeApp(context),
    },
  ],
};
