import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** An authority of one's own, and certificates that it signs: files in a folder. */
export function makeAuthority(folder: string) {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  openssl("req", "-x509", ...newKey, "-subj", "/CN=Our authority", "-keyout", file("ca.key"), "-out", file("ca.pem"));
  return {
    file: file("ca.pem"),
    /** A certificate for names such as `DNS:localhost,IP:127.0.0.1`. */
    sign: (name: string, names: string) => {
      const [certificate, key] = [file(`${name}.pem`), file(`${name}.key`)];
      openssl(
        ...["req", "-x509", ...newKey, "-subj", `/CN=${name}`, "-addext", `subjectAltName=${names}`],
        ...["-addext", "basicConstraints=critical,CA:FALSE"],
        ...["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-keyout", key, "-out", certificate],
      );
      return { certificate, key };
    },
  };
}
