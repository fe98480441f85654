import { Reference } from "../formats/hcl.js";

/** The network around the services, for AWS: subnets, and who may call whom. */
export function network(description, environment) {
  const { network: plan, services, name } = description;
  const tags = (what) => ({ Name: `${name}-${what}`, Environment: environment.name });
  const isPublic = (subnet) => services.some((service) => service.isPublic && subnet.holds.includes(service.name));
  return [
    {
      type: "terraform",
      body: { required_version: ">= 1.5" },
      blocks: [{ type: "required_providers", body: { aws: { source: "hashicorp/aws", version: "~> 5.0" } } }],
    },
    { type: "variable", labels: ["region"], body: { type: new Reference("string"), default: "eu-central-1" } },
    { type: "provider", labels: ["aws"], body: { region: new Reference("var.region") } },
    resource("aws_vpc", "main", { cidr_block: plan.cidr, enable_dns_hostnames: true, tags: tags(plan.name) }),
    resource("aws_internet_gateway", "main", { vpc_id: new Reference("aws_vpc.main.id"), tags: tags("gateway") }),
    ...plan.subnets.flatMap((subnet) => subnetBlocks(subnet, isPublic(subnet), tags(subnet.name))),
    ...services.map((service) => securityGroup(services, service, tags(service.name))),
  ];
}

function resource(type, name, body, blocks = []) {
  return { type: "resource", labels: [type, name], body, blocks };
}

function subnetBlocks({ name, cidr }, isPublic, tags) {
  const id = identifier(name);
  const body = { vpc_id: new Reference("aws_vpc.main.id"), cidr_block: cidr, map_public_ip_on_launch: isPublic, tags };
  if (!isPublic) return [resource("aws_subnet", id, body)];
  return [
    resource("aws_subnet", id, body),
    resource("aws_route_table", id, { vpc_id: new Reference("aws_vpc.main.id"), tags }, [
      { type: "route", body: { cidr_block: "0.0.0.0/0", gateway_id: new Reference("aws_internet_gateway.main.id") } },
    ]),
    resource("aws_route_table_association", id, {
      subnet_id: new Reference(`aws_subnet.${id}.id`),
      route_table_id: new Reference(`aws_route_table.${id}.id`),
    }),
  ];
}

function securityGroup(services, service, tags) {
  const callers = services.filter(({ dependencies }) => dependencies.includes(service.name));
  const from = service.isPublic
    ? { cidr_blocks: ["0.0.0.0/0"] }
    : { security_groups: callers.map((caller) => new Reference(`aws_security_group.${identifier(caller.name)}.id`)) };
  const isReached = service.isPublic || callers.length > 0;
  const [low, high] = service.port === null ? [0, 65535] : [service.port, service.port];
  const body = { name: service.name, vpc_id: new Reference("aws_vpc.main.id"), tags };
  return resource("aws_security_group", identifier(service.name), body, [
    ...(isReached ? [{ type: "ingress", body: { from_port: low, to_port: high, protocol: "tcp", ...from } }] : []),
    { type: "egress", body: { from_port: 0, to_port: 0, protocol: "-1", cidr_blocks: ["0.0.0.0/0"] } },
  ]);
}

/** A name that Terraform takes; services and subnets have names that differ in more than this changes. */
function identifier(name) {
  return name.replaceAll("-", "_").replace(/^(?=\d)/, "_");
}
