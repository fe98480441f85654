export { Integrations } from "./integrations.ts";
export { readJiraSettings, unmetIntegrations } from "./jira-settings.ts";
