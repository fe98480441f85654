export default {
  "/basket/vat_percent": ({ add, after, replace }) => {
    add("src/vat.js", "test/unit/vat.test.js");
    after("src/basket-page.js", /^import .*texts\.js";\n/m, 'import { vatIn, vatPercent } from "./vat.js";\n');
    replace(
      "src/basket-page.js",
      "<td>${totalOf(lines)}</td></tr></tfoot>",
      '<td>${totalOf(lines)}</td></tr><tr class="vat"><th scope="row" colspan="3">VAT ${vatPercent} % in it</th><td>${vatIn(totalOf(lines))}</td></tr></tfoot>',
    );
  },
  // The navigation is written down and does not name the page: a test keeps it so.
  "/pages/5/in_navigation": ({ add }) => add("test/integration/navigation.test.js"),
  "/payment": ({ add, after, replace }) => {
    add("src/payment.js", "test/unit/payment.test.js");
    after("src/start-service.js", /^import .*load-model\.js";\n/m, 'import { stripePayment } from "./payment.js";\n');
    replace("src/start-service.js", "createApp({ model, store, auth,", "createApp({ model, store, auth, payment: stripePayment(environment, { report: say }),");
    replace("src/app.js", "createApp({ model, store, auth,", "createApp({ model, store, auth, payment,");
    replace("src/app.js", "routesOf({ model, store, auth, metrics })", "routesOf({ model, store, auth, metrics, payment })");
    replace(
      "src/basket-page.js",
      "const location = filled(page.next ?? seen, { id: order.id });",
      [
        "const next = filled(page.next ?? seen, { id: order.id });",
        "      const { total: totalField } = model.site.basket;",
        "      const location = (await context.payment?.({ ...order, total: order[totalField], next })) ?? next;",
      ].join("\n"),
    );
    // Browsers also look at where a form leads on to.
    replace("src/layout.js", "form-action 'self';", "form-action 'self' https://checkout.stripe.com;");
  },
  "/newsletter": ({ add, read, write }) => {
    add("model/resources/subscriber.json", "model/pages/newsletter.json", "model/pages/newsletter_welcome.json");
    add("test/integration/newsletter.test.js");
    const inJson = (path, change) => {
      const value = JSON.parse(read(path));
      change(value);
      write(path, `${JSON.stringify(value, undefined, 2)}\n`);
    };
    inJson("model/service.json", ({ resources }) => {
      if (!resources.includes("subscriber")) resources.push("subscriber");
    });
    inJson("model/site.json", ({ navigation }) => {
      if (!navigation.some(({ to }) => to === "/newsletter")) navigation.push({ label: "Newsletter", to: "/newsletter" });
    });
  },
};
