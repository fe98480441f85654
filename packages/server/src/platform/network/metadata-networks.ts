/**
 * Where clouds offer metadata, and with it credentials, to every process on a machine. Nobody calls them: not the service, and
 * no program in a sandbox. `169.254.0.0/16` is the link's own, and holds the metadata of nearly all clouds.
 */
export const metadataNetworks = [
  "169.254.0.0/16",
  // Azure
  "168.63.129.16/32",
  // Alibaba Cloud
  "100.100.100.200/32",
  // Oracle Cloud, the old address
  "192.0.0.192/32",
  // Amazon
  "fd00:ec2::254/128",
  // Google
  "fd20:ce::254/128",
  // Scaleway
  "fd00:42::42/128",
  // OpenStack
  "fe80::a9fe:a9fe/128",
] as const;
