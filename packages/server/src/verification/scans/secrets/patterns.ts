import type { Severity } from "../finding.ts";

/** The shape of one kind of secret. */
export interface SecretPattern {
  readonly id: string;
  readonly what: string;
  readonly severity: Severity;
  /** Global, linear, and with the secret itself in group 1 if it is not the whole match. */
  readonly pattern: RegExp;
}

/**
 * Credentials whose shape alone gives them away. Most begin with a prefix that their issuer chose for scanners; every
 * repetition is bounded, so that a megabyte of one letter takes no longer than any other.
 */
export const secretPatterns: readonly SecretPattern[] = [
  shape(
    "aws-access-key",
    "AWS access key id",
    "critical",
    /(?<![A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])/g,
  ),
  shape(
    "aws-secret-key",
    "AWS secret access key",
    "critical",
    /aws.{0,20}?(?:secret|sk|key).{0,24}?[=:>\s"'`]\s{0,3}["'`]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  ),
  shape("private-key", "private key", "critical", /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g),
  shape(
    "github-token",
    "GitHub token",
    "critical",
    /(?<![A-Za-z0-9])((?:gh[pousr]_[A-Za-z0-9]{36,255})|github_pat_[A-Za-z0-9_]{40,255})/g,
  ),
  shape(
    "gitlab-token",
    "GitLab token",
    "critical",
    /(?<![A-Za-z0-9])(gl(?:pat|ptt|cbt|dt|rt|soat|ft|agent)-[A-Za-z0-9_-]{20,100})/g,
  ),
  shape(
    "slack-token",
    "Slack token",
    "critical",
    /(?<![A-Za-z0-9])(xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[a-f0-9]{20,80})/g,
  ),
  shape(
    "slack-webhook",
    "Slack webhook address",
    "high",
    /(https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]{20,120})/g,
  ),
  shape(
    "discord-webhook",
    "Discord webhook address",
    "high",
    /(https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{50,90})/g,
  ),
  shape(
    "discord-token",
    "Discord bot token",
    "critical",
    /(?<![\w-])([MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/g,
  ),
  shape("telegram-token", "Telegram bot token", "critical", /(?<![\w:])(\d{8,10}:AA[A-Za-z0-9_-]{33})(?![\w-])/g),
  shape(
    "stripe-key",
    "Stripe key",
    "critical",
    /(?<![A-Za-z0-9])((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9]{24,80})/g,
  ),
  shape("google-api-key", "Google API key", "high", /(?<![A-Za-z0-9_-])(AIza[A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])/g),
  shape(
    "google-oauth-secret",
    "Google OAuth secret",
    "critical",
    /(?<![A-Za-z0-9])(GOCSPX-[A-Za-z0-9_-]{24,40}|ya29\.[A-Za-z0-9_-]{40,300})/g,
  ),
  shape(
    "openai-key",
    "key of a model provider",
    "critical",
    /(?<![A-Za-z0-9])(sk-(?:proj|svcacct|admin|ant|or|live)-[A-Za-z0-9_-]{20,250}|sk-[A-Za-z0-9]{48}(?![A-Za-z0-9])|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/g,
  ),
  shape(
    "huggingface-token",
    "Hugging Face token",
    "critical",
    /(?<![A-Za-z0-9])(hf_[A-Za-z]{34,40}|gsk_[A-Za-z0-9]{48,56}|r8_[A-Za-z0-9]{37,40}|pplx-[A-Za-z0-9]{40,60})(?![A-Za-z0-9])/g,
  ),
  shape(
    "sendgrid-key",
    "SendGrid key",
    "critical",
    /(?<![A-Za-z0-9])(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})/g,
  ),
  shape("twilio-key", "Twilio key", "critical", /(?<![A-Za-z0-9])(SK[a-f0-9]{32})(?![A-Za-z0-9])/g),
  shape("twilio-auth-token", "Twilio auth token", "critical", /twilio.{0,40}?[=:]\s{0,3}["'`]([a-f0-9]{32})["'`]/gi),
  shape(
    "mailgun-key",
    "Mailgun key",
    "critical",
    /(?<![A-Za-z0-9])(key-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})(?![A-Za-z0-9-])/g,
  ),
  shape("mailchimp-key", "Mailchimp key", "critical", /(?<![A-Za-z0-9])([a-f0-9]{32}-us\d{1,2})(?![A-Za-z0-9])/g),
  shape(
    "npm-token",
    "npm token",
    "critical",
    /(?<![A-Za-z0-9])(npm_[A-Za-z0-9]{36})|_authToken\s{0,3}=\s{0,3}([A-Za-z0-9-]{20,80})(?![\w${])/g,
  ),
  shape(
    "pypi-token",
    "PyPI token",
    "critical",
    /(?<![A-Za-z0-9])(pypi-AgE[A-Za-z0-9_-]{50,400}|pypi-[A-Za-z0-9_-]{80,400})/g,
  ),
  shape("rubygems-token", "RubyGems token", "critical", /(?<![A-Za-z0-9])(rubygems_[a-f0-9]{48})/g),
  shape("docker-token", "Docker Hub token", "critical", /(?<![A-Za-z0-9])(dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,60})/g),
  shape("digitalocean-token", "DigitalOcean token", "critical", /(?<![A-Za-z0-9])(do[opr]_v1_[a-f0-9]{64})/g),
  shape(
    "heroku-key",
    "Heroku key",
    "high",
    /(?<![A-Za-z0-9])(HRKU-[A-Za-z0-9_-]{36,70})|heroku.{0,30}?[=:]\s{0,3}["'`]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,
  ),
  shape("shopify-token", "Shopify token", "critical", /(?<![A-Za-z0-9])(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})/g),
  shape(
    "square-token",
    "Square token",
    "critical",
    /(?<![A-Za-z0-9])(sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})(?![A-Za-z0-9_-])/g,
  ),
  shape("vault-token", "Vault token", "critical", /(?<![A-Za-z0-9])(hv[sbr]\.[A-Za-z0-9_-]{24,200})/g),
  shape("age-key", "age secret key", "critical", /(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})/g),
  shape(
    "atlassian-token",
    "Atlassian token",
    "critical",
    /(?<![A-Za-z0-9])(ATATT3[A-Za-z0-9_=-]{60,250}|ATCTT3[A-Za-z0-9_=-]{60,250})/g,
  ),
  shape("linear-key", "Linear key", "critical", /(?<![A-Za-z0-9])(lin_(?:api|oauth)_[A-Za-z0-9]{32,64})/g),
  shape(
    "notion-token",
    "Notion token",
    "critical",
    /(?<![A-Za-z0-9])(ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])/g,
  ),
  shape("newrelic-key", "New Relic key", "high", /(?<![A-Za-z0-9])(NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})/g),
  shape("sentry-token", "Sentry token", "high", /(?<![A-Za-z0-9])(sntry[su]_[A-Za-z0-9_=+/-]{50,300})/g),
  shape(
    "datadog-key",
    "Datadog key",
    "high",
    /(?:datadog|dd)[_-]?(?:api|app)[_-]?key.{0,10}?[=:]\s{0,3}["'`]?([a-f0-9]{32,40})(?![a-f0-9])/gi,
  ),
  shape("postman-key", "Postman key", "high", /(?<![A-Za-z0-9])(PMAK-[a-f0-9]{24}-[a-f0-9]{34})/g),
  shape(
    "databricks-token",
    "Databricks token",
    "critical",
    /(?<![A-Za-z0-9])(dapi[a-f0-9]{32}(?:-\d)?)(?![A-Za-z0-9])/g,
  ),
  shape("grafana-token", "Grafana token", "critical", /(?<![A-Za-z0-9])(gl(?:c|sa)_[A-Za-z0-9+/=_]{32,200})/g),
  shape("figma-token", "Figma token", "high", /(?<![A-Za-z0-9])(fig[du]_[A-Za-z0-9_-]{36,60})/g),
  shape("azure-storage-key", "Azure storage key", "critical", /AccountKey=([A-Za-z0-9+/]{60,90}={0,2})/g),
  shape("azure-shared-access", "Azure shared access key", "critical", /SharedAccessKey=([A-Za-z0-9+/]{40,50}={0,2})/g),
  shape(
    "azure-client-secret",
    "Azure client secret",
    "critical",
    /(?<![A-Za-z0-9])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~.-])/g,
  ),
  shape(
    "json-web-token",
    "signed token",
    "high",
    /(?<![A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000})/g,
  ),
  shape(
    "password-in-url",
    "password in an address",
    "high",
    /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'`<>${}]{0,64}:([^\s/@"'`<>${}]{3,128})@[^\s"'`<>@]{1,200}/gi,
  ),
  shape(
    "authorization-header",
    "credential in an Authorization header",
    "high",
    /authorization["'`]?\s{0,3}[:,=]\s{0,3}["'`](?:basic|bearer|token)\s{1,3}([A-Za-z0-9+/=._~-]{16,500})["'`]/gi,
  ),
  shape(
    "curl-password",
    "password on a command line",
    "high",
    /\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)\s{1,3}["']?[\w.@-]{1,64}:([^\s"'$]{4,128})/g,
  ),
  shape(
    "mysql-password",
    "password on a command line",
    "high",
    /\b(?:mysql|mysqldump|mariadb)\b[^\n|;]{0,200}?\s(?:-p|--password=)["']?([^\s"'$-][^\s"'$]{3,64})/g,
  ),
  shape(
    "environment-password",
    "password on a command line",
    "high",
    /\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)=["']?([^\s"'$`]{4,128})/g,
  ),
];

function shape(id: string, what: string, severity: Severity, pattern: RegExp): SecretPattern {
  return { id, what, severity, pattern };
}
