/** Which part of an installation starts deployed software: the service's own sweep leaves it alone. */
export const appsPart = "deployments";
