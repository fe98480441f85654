/** What the pods of a service and of its backup have in common. */

export function labelsOf(name) {
  return { "app.kubernetes.io/name": name };
}

/** Kubernetes fills in variables after a dollar sign and a bracket; two dollar signs are one. */
export function literally(text) {
  return text.replace(/\$(?=[$(])/g, "$$$$");
}

export function variablesOf({ environment, secretVariables }) {
  return [
    ...Object.entries(environment).map(([name, value]) => ({ name, value: literally(value) })),
    ...Object.entries(secretVariables).map(([name, key]) => ({
      name,
      valueFrom: { secretKeyRef: { name: secretName(key), key } },
    })),
  ];
}

export function mountsOf({ secrets }) {
  return secrets.map((secret) => ({ name: secretName(secret), mountPath: `/run/secrets/${secret}`, subPath: secret, readOnly: true }));
}

export function secretVolumes({ secrets }) {
  return secrets.map((secret) => ({ name: secretName(secret), secret: { secretName: secretName(secret) } }));
}

export function secretName(secret) {
  return secret.toLowerCase().replaceAll("_", "-");
}
