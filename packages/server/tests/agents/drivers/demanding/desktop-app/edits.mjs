export default {
  "/pdf": ({ add, after }) => {
    add("src/pdf.js", "src/invoice-pdf.js", "test/integration/invoice-pdf.test.js");
    after("src/server.js", /^import .*import\.js";\n/m, 'import { invoicePdf } from "./invoice-pdf.js";\n');
    after(
      "src/server.js",
      /^ {4}return app\.onQuit\(\);\n {2}\}\n/m,
      [
        "  const pdf = invoicePdf(app, pathname);",
        '  if (pdf !== undefined) return only(request, ["GET", "HEAD"]) && send(response, 200, pdf, { "content-type": "application/pdf" });\n',
      ].join("\n"),
    );
  },
  "/packaging/update_check": ({ add, after }) => {
    add("src/update-check.js", "test/unit/update-check.test.js");
    after("src/run.js", /^import .*server\.js";\n/m, 'import { tellOfUpdate } from "./update-check.js";\n');
    after("src/run.js", /^ {2}print\(`\$\{model\.name\} is at .*\n/m, "  void tellOfUpdate(model, { env, print });\n");
  },
  // What a record is part of must still be right without it.
  "/acceptance/integration_tests/0": ({ add, before, replace }) => {
    add("test/integration/last-line.test.js");
    replace(
      "src/server.js",
      "  for (const one of removed) draft.remove(one.entity, one.id);\n",
      [
        "  const before = draft.get(entity.name, id);",
        "  for (const one of removed) draft.remove(one.entity, one.id);",
        "  refuseWrongWithout(app, entity, before, draft);\n",
      ].join("\n"),
    );
    before(
      "src/server.js",
      "async function page({ model }, request, response, pathname) {\n",
      [
        "/** What a record was part of must still be right without it. */",
        "function refuseWrongWithout(app, { fields }, before, draft) {",
        '  for (const { name, to } of fields.filter(({ type, onDelete }) => type === "reference" && onDelete === "cascade")) {',
        "    const whole = draft.get(to, before[name]);",
        "    if (whole !== undefined) checked(app, app.model.entities.find((one) => one.name === to), whole, draft);",
        "  }",
        "}\n\n",
      ].join("\n"),
    );
  },
};
