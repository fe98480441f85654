/** A weakness that a scan must find: a file, and words of which one must stand in the name of a rule that finds it. */
export interface Seed {
  readonly path: string;
  readonly text: string;
  readonly rules: readonly string[];
}

/** Joined here, so that the file itself holds no key. */
const key = (...parts: string[]) => parts.join("");

/** Programs as people write them, each with one weakness; none of them was at hand when the rules were written. */
export const seeds: readonly Seed[] = [
  seed(
    "ping.js",
    ["command"],
    `import express from "express";
import { exec } from "node:child_process";
const app = express();
app.get("/ping", (req, res) => {
  const { host } = req.query;
  exec(\`ping -c 1 \${host}\`, (error, stdout) => res.type("text").end(stdout));
});`,
  ),
  seed(
    "convert.ts",
    ["command"],
    `import { promisify } from "util";
import * as cp from "child_process";
const run = promisify(cp.exec);
export async function convert(request: Request): Promise<string> {
  const body = await request.json();
  const { stdout } = await run("convert " + body.file + " out.png");
  return stdout;
}`,
  ),
  seed(
    "deploy.js",
    ["command"],
    `const { spawn } = require("child_process");
module.exports = (router) => router.post("/deploy", async (ctx) => {
  const branch = ctx.request.body.branch;
  spawn("git", ["checkout", branch], { shell: true });
});`,
  ),
  seed(
    "report.js",
    ["command"],
    `const { execSync } = require('child_process');
function zip(name) { return execSync('zip -r /tmp/out.zip ' + name); }
exports.handler = async (event) => zip(JSON.parse(event.body).folder);`,
  ),
  seed(
    "calc.js",
    ["code", "eval"],
    `app.post("/calc", (req, res) => { res.json({ result: eval(req.body.expression) }); });`,
  ),
  seed("plugin.js", ["code"], `export function load(source) { return new Function("api", source); }`),
  seed(
    "formula.mjs",
    ["code"],
    `import vm from "node:vm";
export default (req, res) => res.end(String(vm.runInNewContext(req.params.formula, {})));`,
  ),
  seed(
    "users.js",
    ["sql"],
    `router.get("/users/:id", async (req, res) => {
  const result = await pool.query("SELECT * FROM users WHERE id = " + req.params.id);
  res.json(result.rows);
});`,
  ),
  seed(
    "search.ts",
    ["sql"],
    `export async function search(db: Pool, term: string) {
  const sql = \`SELECT id, title FROM posts WHERE title LIKE '%\${term}%'\`;
  return db.query(sql);
}`,
  ),
  seed(
    "login.js",
    ["sql"],
    `app.post('/login', function (req, res) {
  var user = req.body.user, pass = req.body.pass;
  var q = "select * from accounts where user='" + user;
  q += "' and pass='" + pass + "'";
  connection.query(q, function (err, rows) { res.send(rows.length ? "ok" : "no"); });
});`,
  ),
  seed(
    "prisma.ts",
    ["sql"],
    `export const byName = (name: string) => prisma.$queryRawUnsafe(\`SELECT * FROM "User" WHERE name = '\${name}'\`);`,
  ),
  seed(
    "mongo.js",
    ["nosql"],
    `app.post("/login", async (req, res) => {
  const user = await User.findOne({ email: req.body.email, password: req.body.password });
  res.json(user);
});`,
  ),
  seed(
    "where.js",
    ["nosql"],
    `db.collection("items").find({ $where: "this.owner == '" + request.query.owner + "'" });`,
  ),
  seed(
    "download.js",
    ["path"],
    `const fs = require("fs"), path = require("path");
app.get("/files/:name", (req, res) => {
  fs.createReadStream(path.join(__dirname, "uploads", req.params.name)).pipe(res);
});`,
  ),
  seed(
    "static.mjs",
    ["path"],
    `import http from "node:http";
import { readFile } from "node:fs/promises";
http.createServer(async (incoming, outgoing) => {
  const { pathname } = new URL(incoming.url, "http://localhost");
  outgoing.end(await readFile("./public" + decodeURIComponent(pathname)));
}).listen(8080);`,
  ),
  seed(
    "upload.js",
    ["path"],
    `app.post("/upload", upload.single("f"), (req, res) => {
  fs.writeFileSync("./uploads/" + req.file.originalname, req.file.buffer);
  res.end();
});`,
  ),
  seed("go.js", ["redirect"], `app.get("/go", (req, res) => res.redirect(req.query.next));`),
  seed(
    "back.ts",
    ["redirect"],
    `export function GET(request: NextRequest) {
  const target = request.nextUrl.searchParams.get("to") ?? "/";
  return NextResponse.redirect(target);
}`,
  ),
  seed(
    "proxy.js",
    ["request"],
    `import axios from "axios";
router.get("/preview", async (req, res) => {
  const page = await axios.get(req.query.url);
  res.send({ title: page.data.title });
});`,
  ),
  seed(
    "fetcher.ts",
    ["request"],
    `fastify.get("/image", async (request, reply) => {
  const { src } = request.query as { src: string };
  const answer = await fetch(src);
  return reply.send(answer.body);
});`,
  ),
  seed(
    "hello.js",
    ["scripting"],
    `app.get("/hello", (req, res) => { res.send("<h1>Hello " + req.query.name + "</h1>"); });`,
  ),
  seed(
    "page.js",
    ["scripting", "html", "property"],
    `const name = new URLSearchParams(location.search).get("name");
document.getElementById("greeting").innerHTML = "Welcome, " + name;`,
  ),
  seed(
    "hash.html",
    ["scripting", "method", "html"],
    `<!doctype html><body><script>
document.write("<b>" + decodeURIComponent(location.hash.slice(1)) + "</b>");
</script></body>`,
  ),
  seed(
    "Comment.jsx",
    ["html"],
    `export function Comment({ comment }) { return <p dangerouslySetInnerHTML={{ __html: comment.body }} />; }`,
  ),
  seed(
    "merge.js",
    ["prototype"],
    `function deepMerge(target, source) {
  for (const k in source) {
    if (typeof source[k] === "object") { target[k] = target[k] || {}; deepMerge(target[k], source[k]); }
    else target[k] = source[k];
  }
  return target;
}`,
  ),
  seed("client.js", ["certificate"], `const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });`),
  seed("env.js", ["certificate"], `process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";`),
  seed(
    "password.js",
    ["hash"],
    `const crypto = require("crypto");
exports.hashPassword = (password) => crypto.createHash("sha1").update(password).digest("hex");`,
  ),
  seed("reset.ts", ["random"], `export const createResetToken = (): string => Math.random().toString(36).slice(2);`),
  seed(
    "cipher.js",
    ["cipher", "key"],
    `import { createCipheriv } from "node:crypto";
export const seal = (text, secret) => createCipheriv("aes-128-ecb", secret, null).update(text);`,
  ),
  seed(
    "token.js",
    ["key", "secret"],
    `const jwt = require("jsonwebtoken");
module.exports = (user) => jwt.sign({ id: user.id }, "s3cr3t-signing", { expiresIn: "1h" });`,
  ),
  seed("verify.js", ["token"], `jwt.verify(token, publicKey, { algorithms: ["RS256", "none"] });`),
  seed("cookie.js", ["cookie"], `res.cookie("sid", id, { httpOnly: false, maxAge: 1000 });`),
  seed("cors.js", ["origin"], `app.use(cors({ origin: "*", credentials: true }));`),
  seed(
    "webhook.js",
    ["timing"],
    `app.post("/hook", (req, res) => {
  const digest = crypto.createHmac("sha256", process.env.HOOK_SECRET).update(req.rawBody).digest("hex");
  if (req.headers["x-signature"] !== digest) return res.sendStatus(401);
  res.end();
});`,
  ),
  seed("regex.js", ["regexp"], `export const isEmail = (text) => /^([a-zA-Z0-9]+\\.?)+@example\\.org$/.test(text);`),
  seed(
    "filter.js",
    ["regexp"],
    `app.get("/f", (req, res) => res.json(names.filter((n) => new RegExp(req.query.q).test(n))));`,
  ),
  seed(
    "render.js",
    ["template"],
    `const ejs = require("ejs");
app.get("/t", (req, res) => res.send(ejs.render(req.query.template, {})));`,
  ),
  seed(
    "restore.js",
    ["deserial"],
    `const serialize = require("node-serialize");
exports.restore = (cookie) => serialize.unserialize(Buffer.from(cookie, "base64").toString());`,
  ),
  seed(
    "assign.js",
    ["assignment"],
    `app.patch("/me", async (req, res) => { Object.assign(req.user, req.body); await req.user.save(); res.end(); });`,
  ),
  seed(
    "listing.py",
    ["command"],
    `import subprocess
from flask import Flask, request
app = Flask(__name__)

@app.route("/ls")
def listing():
    folder = request.args.get("dir", ".")
    return subprocess.check_output("ls -la " + folder, shell=True)
`,
  ),
  seed(
    "ping.py",
    ["command"],
    `import os
def ping(host):
    return os.popen(f"ping -c 1 {host}").read()
`,
  ),
  seed(
    "users.py",
    ["sql"],
    `def find(cursor, name):
    cursor.execute("SELECT * FROM users WHERE name = '%s'" % name)
    return cursor.fetchone()
`,
  ),
  seed(
    "orders.py",
    ["sql"],
    `@app.get("/orders/{status}")
async def orders(status: str):
    query = f"SELECT * FROM orders WHERE status = '{status}'"
    return await database.fetch_all(query=query) if False else conn.execute(query).fetchall()
`,
  ),
  seed(
    "cache.py",
    ["deserial"],
    `import pickle, base64
def load_session(cookie):
    return pickle.loads(base64.b64decode(cookie))
`,
  ),
  seed(
    "config.py",
    ["deserial"],
    `import yaml
with open("config.yml") as f:
    settings = yaml.load(f, Loader=yaml.Loader)
`,
  ),
  seed(
    "calc.py",
    ["code"],
    `from flask import request
def calc():
    return str(eval(request.form["expr"]))
`,
  ),
  seed(
    "files.py",
    ["path"],
    `@app.route("/download")
def download():
    name = request.args["file"]
    with open(os.path.join("/srv/files", name), "rb") as f:
        return f.read()
`,
  ),
  seed(
    "greet.py",
    ["template", "scripting"],
    `@app.route("/greet")
def greet():
    template = "<h1>Hello %s</h1>" % request.args.get("name")
    return render_template_string(template)
`,
  ),
  seed(
    "fetch.py",
    ["request"],
    `@app.route("/fetch")
def fetch():
    return requests.get(request.args.get("url"), timeout=5).text
`,
  ),
  seed(
    "tls.py",
    ["certificate"],
    `import requests
r = requests.post("https://api.example.org/v1", json={}, verify=False)
`,
  ),
  seed(
    "hash.py",
    ["hash"],
    `import hashlib
def store(password): return hashlib.md5(password.encode()).hexdigest()
`,
  ),
  seed(
    "tok.py",
    ["random"],
    `import random, string
def make_token():
    return "".join(random.choice(string.ascii_letters) for _ in range(32))
`,
  ),
  seed(
    "wsgi_app.py",
    ["debug"],
    `if __name__ == "__main__":
    app.run(host="0.0.0.0", debug=True)
`,
  ),
  seed(
    "xml_in.py",
    ["xml"],
    `from lxml import etree
parser = etree.XMLParser(resolve_entities=True)
`,
  ),
  seed(
    "unpack.py",
    ["archive"],
    `import tarfile
def unpack(path, target):
    with tarfile.open(path) as t:
        t.extractall(target)
`,
  ),
  seed(
    "Dockerfile",
    ["root", "unpinned", "download"],
    `FROM node
WORKDIR /app
COPY . .
RUN npm ci
CMD ["node", "server.js"]
`,
  ),
  seed(
    "build.Dockerfile",
    ["download"],
    `FROM debian:12
RUN apt-get update && curl -fsSL https://example.org/install.sh | bash
USER app
`,
  ),
  seed(
    "secret.dockerfile",
    ["secret"],
    `FROM alpine:3.20
ENV DB_PASSWORD=${key("tr0ub4", "dor&3x")}
USER app
`,
  ),
  seed(
    "install.sh",
    ["download"],
    `#!/bin/bash
set -e
bash -c "$(wget -qO- https://example.org/setup)"
`,
  ),
  seed(
    "clean.sh",
    ["remove", "eval"],
    `#!/bin/sh
rm -rf $1/*
eval "$2"
`,
  ),
  seed(
    "perm.sh",
    ["writable"],
    `chmod -R 777 /var/www
`,
  ),
  seed(
    "docker-compose.yml",
    ["privileged", "socket"],
    `services:
  ci:
    image: ci:1
    privileged: true
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
`,
  ),
  seed(
    "aws.ts",
    ["secrets"],
    `const client = new S3Client({ credentials: { accessKeyId: "${key("AKIA", "3QXZ7LMN5TRWPY6D")}", secretAccessKey: "${key("u8Xk2vQ9rT4mW7zB1nC6", "yE3sD5fG0hJ8kL2pO4iU")}" } });`,
  ),
  seed(
    ".env.production",
    ["secrets"],
    `DATABASE_URL=postgres://app:${key("Qm7x", "Zp2vLk9")}@db.example.org:5432/app\n`,
  ),
  seed(
    "deploy_key",
    ["secrets"],
    key(
      "-----BEGIN OPENSSH ",
      "PRIVATE KEY-----\n",
      "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n",
      "-----END OPENSSH PRIVATE KEY-----\n",
    ),
  ),
  seed("github.yml", ["secrets"], `token: ${key("gh", "p_", "x7Kp2mNq9RtVw4YzA8bCdE3fGhJ5kL6mN0pQ")}\n`),
  seed("stripe.py", ["secrets"], `stripe.api_key = "${key("sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc")}"\n`),
  seed("settings.py", ["secrets"], `SECRET_KEY = "${key("django-in", "9f#k2$x8v!q7z@w3m5n1b6c4")}"\n`),
  seed(
    "slack.js",
    ["secrets"],
    `const slack = new WebClient("${key("xox", "b-", "2048172839-4829104857392-aZ8kQ2mXv7LpN3rT5wYbC9dE")}");`,
  ),
  seed("app.properties", ["secrets"], `spring.datasource.password=${key("Vx9!", "kT2mQ7z")}\n`),
  seed("google.json", ["secrets"], `{ "apiKey": "${key("AI", "za", "SyD9x2KvQ7mN4pR8tWbZ1cE5fG3hJ6kL0oP")}" }\n`),
  seed(
    "db.js",
    ["secrets"],
    `mongoose.connect("mongodb+srv://admin:${key("hun", "ter2!Zq")}@cluster0.example.net/app");`,
  ),
  seed(
    "jwt-secret.js",
    ["secrets", "key"],
    `const JWT_SECRET = process.env.JWT_SECRET || "${key("change-later-", "9f8e7d6c")}";`,
  ),
  seed(
    "test/fixtures/token.test.js",
    ["secrets"],
    `test("calls", () => call({ headers: { Authorization: "Bearer ${key("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")}" } }));`,
  ),
  seed(
    "npmrc/.npmrc",
    ["secrets"],
    `//registry.example.org/:_authToken=${key("npm_", "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5")}\n`,
  ),
];

function seed(path: string, rules: readonly string[], text: string): Seed {
  return { path, text, rules };
}
