import { nearest } from "../check/nearest.ts";
import { checkReferences } from "./references.ts";
import { entriesOf, itemsOf, type Rule, type RuleContext } from "./rule.ts";

/** Checks the dependencies, host ports and events of services. */
export const checkServices: Rule = (context) => {
  const services = entriesOf(context.document.services);
  checkReferences(
    context,
    "service",
    services.map(([id, { dependencies }]) => ({ id, at: ["services", id], names: dependencies, key: "dependencies" })),
  );
  checkPorts(context);
  checkEvents(context);
};

function checkPorts(context: RuleContext): void {
  const takenBy = new Map<number, string>();
  for (const [name, { ports }] of entriesOf(context.document.services)) {
    for (const [index, port] of itemsOf(ports)) {
      const numbers = /^(\d{1,5}):(\d{1,5})$/.exec(port)?.slice(1).map(Number);
      const host = numbers?.[0];
      if (numbers === undefined || host === undefined) continue;
      const at = ["services", name, "ports", index];
      const wrong = numbers.find((number) => number < 1 || number > 65_535);
      const other = takenBy.get(host);
      if (wrong !== undefined) {
        context.report("out_of_range", at, `${wrong} is not a valid port.`, "Ports are numbers from 1 to 65535.");
      } else if (other !== undefined) {
        const message = `Host port ${host} is already used by the service '${other}'${other === name ? " itself" : ""}.`;
        context.report("port_conflict", at, message, "Choose another host port.");
      } else {
        takenBy.set(host, name);
      }
    }
  }
}

function checkEvents(context: RuleContext): void {
  const services = entriesOf(context.document.services);
  const published = new Set(
    services.flatMap(([, service]) => itemsOf(service.events_published).map(([, event]) => event)),
  );
  const consumed = new Set(
    services.flatMap(([, service]) => itemsOf(service.events_consumed).map(([, event]) => event)),
  );
  for (const [name, { events_published, events_consumed }] of services) {
    for (const [index, event] of itemsOf(events_consumed)) {
      if (published.has(event)) continue;
      const message = `No service publishes the event '${event}'.`;
      const suggestion = () => suggestPublished(event, published);
      context.report("event_not_published", ["services", name, "events_consumed", index], message, suggestion);
    }
    for (const [index, event] of itemsOf(events_published)) {
      if (consumed.has(event)) continue;
      const message = `No service consumes the event '${event}'.`;
      context.report("event_not_consumed", ["services", name, "events_published", index], message);
    }
  }
}

function suggestPublished(event: string, published: ReadonlySet<string>): string {
  const meant = nearest(event, published);
  return meant === undefined
    ? "Add it to 'events_published' of the service that publishes it."
    : `Did you mean '${meant}'?`;
}
