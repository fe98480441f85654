import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Serves a folder by nginx as a child, which ends with us, with sendfile on as it is usually run; gives its port. */
export async function startNginx(folder: string): Promise<number> {
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `user root;
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http { sendfile on; tcp_nopush on; access_log off; server { listen 127.0.0.1:${port}; root ${folder}; } }
`,
  );
  const nginx = spawn("nginx", ["-c", config, "-p", folder], { stdio: "inherit" });
  // It must not keep us from ending, with which it ends.
  nginx.unref();
  process.once("exit", () => nginx.kill());
  nginx.once("exit", (code) => {
    if (code) throw new Error("nginx ended; is it installed?");
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/nginx.conf`).catch(() => undefined);
    if (answer?.ok) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nginx does not answer.");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
