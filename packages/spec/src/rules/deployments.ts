import { checkServiceName, type ServiceNames } from "./references.ts";
import { type DraftDocument, entriesOf, itemsOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

type DraftDeployment = NonNullable<DraftDocument["deployment"]>;
type DraftHealthCheck = { readonly service?: string | undefined };

/** Checks that health checks of deployments name existing services. */
export const checkDeployments: Rule = (context) => {
  const { document } = context;
  const services = new Set(Object.keys(document.services ?? {}));
  checkHealthChecks(context, document.deployment, ["deployment"], [services]);
  for (const [name, block] of entriesOf(document.environments)) {
    const added = new Set(Object.keys(block.services ?? {}));
    checkHealthChecks(context, block.deployment, ["environments", name, "deployment"], [services, added]);
  }
};

function checkHealthChecks(
  context: RuleContext,
  deployment: DraftDeployment | undefined,
  at: Keys,
  services: ServiceNames,
): void {
  const checks = deployment?.health_checks;
  const place = [...at, "health_checks"];
  if (checks === undefined || typeof checks === "boolean") return;
  if (!Array.isArray(checks)) {
    checkServiceName(context, (checks as DraftHealthCheck).service, services, [...place, "service"]);
    return;
  }
  for (const [index, { service }] of itemsOf(checks as readonly (DraftHealthCheck | undefined)[]))
    checkServiceName(context, service, services, [...place, index, "service"]);
}
