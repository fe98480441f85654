import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Another proxy that runs; it ends with us. */
export interface Other {
  readonly port: number;
  readonly pid: number;
}

/** Passes requests on by nginx with one worker and kept connections. */
export async function startNginxProxy(folder: string, origin: string): Promise<Other> {
  const port = await freePort();
  const config = `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxied;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000000;
  upstream program { server ${new URL(origin).host}; keepalive 200; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://program;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`;
  writeFileSync(join(folder, "nginx.conf"), config);
  return start("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], port);
}

/** Passes requests on by HAProxy with one thread and kept connections. */
export async function startHaproxy(folder: string, origin: string): Promise<Other> {
  const port = await freePort();
  const config = `global
  nbthread 1
  maxconn 2000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
  option forwardfor
frontend clients
  bind 127.0.0.1:${port}
  default_backend programs
backend programs
  server program ${new URL(origin).host}
`;
  writeFileSync(join(folder, "haproxy.cfg"), config);
  return start("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], port);
}

async function start(program: string, args: readonly string[], port: number): Promise<Other> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  // It must not keep us from ending, with which it ends.
  child.unref();
  process.once("exit", () => child.kill());
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok) return { port, pid: child.pid! };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${program} does not answer.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
