export default {
  "/auth/two_factor": ({ add, after, before, replace }) => {
    add("src/totp.js", "src/two-factor.js", "test/unit/totp.test.js", "test/integration/two-factor.test.js");
    after("src/routes.js", /^import .*system-routes\.js";\n/m, 'import { twoFactorRoutes } from "./two-factor.js";\n');
    after("src/routes.js", "    ...accountRoutes(context),\n", "    ...twoFactorRoutes(context),\n");
    after("src/account-routes.js", /^import .*records\.js";\n/m, 'import { refuseWithoutCode } from "./two-factor.js";\n');
    before("src/account-routes.js", "  const { token, expires_at } = auth.issue(account);\n", "  refuseWithoutCode(account, body);\n");
    // It is kept as the end of tokens is: beside the fields of the model, and shown to nobody.
    replace("src/versions.js", '"updated_at", "tokens_from"]', '"updated_at", "tokens_from", "two_factor"]');
    replace("src/records.js", '"tokens_from", ...own', '"tokens_from", "two_factor", ...own');
    replace("src/records.js", 'name !== "tokens_from" &&', 'name !== "tokens_from" && name !== "two_factor" &&');
  },
  "/rate_limit": ({ add, after, before }) => {
    add("src/rate-limit.js", "test/unit/rate-limit.test.js");
    before("src/app.js", 'import { refusalOf }', 'import { RateLimit } from "./rate-limit.js";\n');
    after("src/app.js", "  const metrics = new Metrics();\n", "  const limit = new RateLimit(100);\n");
    after("src/app.js", /^ {4}const actor = auth\.actorOf\(.*\n/m, "    limit.take(request, actor);\n");
  },
  "/email_notifications": ({ add, after, replace }) => {
    add("src/mail.js", "src/notifications.js", "test/integration/mail.test.js");
    after("src/start-service.js", /^import .*load-model\.js";\n/m, 'import { mailer } from "./mail.js";\n');
    replace("src/start-service.js", "createApp({ model, store, auth,", "createApp({ model, store, auth, sendMail: mailer(environment, folder),");
    replace("src/app.js", "createApp({ model, store, auth,", "createApp({ model, store, auth, sendMail,");
    replace("src/app.js", "routesOf({ model, store, auth, metrics })", "routesOf({ model, store, auth, metrics, sendMail, report })");
    after("src/resource-routes.js", /^import .*http\.js";\n/m, 'import { notifyOwner } from "./notifications.js";\n');
    replace(
      "src/resource-routes.js",
      "export function resourceRoutes({ model, store }, resource) {\n  const context = { model, store, resource,",
      "export function resourceRoutes({ model, store, sendMail, report }, resource) {\n  const context = { model, store, sendMail, report, resource,",
    );
    replace(
      "src/resource-routes.js",
      "    handle: async (call) => one(await actOn(context, call, name)),\n",
      [
        "    handle: async (call) => {",
        "      const record = await actOn(context, call, name);",
        "      await notifyOwner(context, resource, name, record);",
        "      return one(record);",
        "    },\n",
      ].join("\n"),
    );
  },
  // The export is for whoever is logged in.
  "/acceptance/http_endpoints/5": ({ read, write }) => {
    const service = JSON.parse(read("model/service.json"));
    if (service.protects.some(({ rule }) => rule === "/api/export")) return;
    service.protects.push({ rule: "/api/export" });
    write("model/service.json", `${JSON.stringify(service, undefined, 2)}\n`);
  },
  // A role in a sign-up is not listened to, rather than refused.
  "/acceptance/integration_tests/2": ({ replace }) => {
    replace(
      "src/account-routes.js",
      /^ {2}if \(field !== undefined && Object\.hasOwn\(body, field\)\)\n(?: {4}.*\n)+? {4}\}\);\n {2}const record = await createRecord\(setting, \{ body \}\);\n/m,
      "  const { [field]: _, ...given } = body;\n  const record = await createRecord(setting, { body: given });\n",
    );
    replace(
      "test/integration/security.test.js",
      'assert.equal((await call("POST", "/sign-up", { body })).status, 422);',
      [
        'const asked = await call("POST", "/sign-up", { body: { ...body, email: "eve0@example.org" } });',
        '  assert.deepEqual([asked.status, asked.json.role], [201, "reader"]);',
      ].join("\n"),
    );
  },
};
