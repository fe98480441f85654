import { createHash, createHmac } from "node:crypto";
import { type Heard, type Said, startOthersServer } from "../others-server.ts";

/** The account that may ask. */
export const awsEnvironment = { KEY_ID: "AKIDEXAMPLE", KEY_SECRET: "sesame-of-the-account" };
const kept: Readonly<Record<string, object>> = {
  KEY: { SecretString: "sesame" },
  "teams/shop/KEY": { SecretString: "of the shop" },
  "teams/shop": { SecretString: JSON.stringify({ KEY: "from the map", PORT: 5432 }) },
  BYTES: { SecretBinary: Buffer.from("in bytes").toString("base64") },
  BAD: { SecretBinary: Buffer.from([0xff, 0xfe]).toString("base64") },
};

/** As AWS Secrets Manager answers, to requests that are signed with the account's key. */
function answer(heard: Heard): Said | undefined {
  const { headers, body } = heard;
  if (!isSigned(heard)) return problem(400, "InvalidSignatureException");
  if (headers["x-amz-target"] !== "secretsmanager.GetSecretValue") return problem(400, "UnknownOperationException");
  const id = String(body["SecretId"]);
  if (id === "DENIED") return problem(400, "AccessDeniedException", "arn:aws:iam::1:user/ada may not");
  if (id === "SLOW") return undefined;
  if (id === "BROKEN") return problem(500, "InternalServiceError");
  const found = kept[id];
  if (found === undefined) return problem(400, "ResourceNotFoundException");
  return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body: { Name: id, ...found } };
}

function problem(status: number, type: string, message = "no"): Said {
  return { status, headers: { "content-type": "application/x-amz-json-1.1" }, body: { __type: type, message } };
}

/** Computes the signature (version 4) once more. */
function isSigned({ headers, body, path, method }: Heard): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d+)\/([\w-]+)\/secretsmanager\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/;
  const [, id, day = "", region = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  if (id !== awsEnvironment.KEY_ID) return false;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, path, "", ...[signed.join("")], names, hash(JSON.stringify(body))].join("\n");
  const scope = `${day}/${region}/secretsmanager/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(request)].join("\n");
  const key = [day, region, "secretsmanager", "aws4_request"].reduce<string | Buffer>(
    (before, part) => hmac(before, part),
    `AWS4${awsEnvironment.KEY_SECRET}`,
  );
  return hmac(key, text).toString("hex") === signature;
}

/** AWS Secrets Manager on this machine, and how an operator declares it. */
export async function startAws() {
  const server = await startOthersServer(answer);
  const declared = {
    kind: "aws-secrets-manager",
    regions: ["eu-west-1", "us-east-1"],
    url: server.url,
    access_key_id_env: "KEY_ID",
    secret_access_key_env: "KEY_SECRET",
  };
  return { server, declared };
}
