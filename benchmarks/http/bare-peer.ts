/** What the service is measured against: Fastify and `pg`, and nothing between them. Its argument is the socket's folder. */
import { randomBytes } from "node:crypto";
import fastify from "fastify";
import pg from "pg";

const pool = new pg.Pool({ host: process.argv[2]!, user: process.argv[3]!, database: "postgres", max: 20 });
const owner = (await pool.query<{ id: string }>("select id from users limit 1")).rows[0]!.id;
const app = fastify();
app.addContentTypeParser("application/yaml", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

app.get<{ Params: { id: string } }>("/projects/:id", async ({ params }, reply) => {
  const { rows } = await pool.query("select * from projects where id = $1", [params.id]);
  return rows[0] ?? reply.code(404).send();
});

app.post<{ Body: Buffer }>("/projects", async ({ body, ip }, reply) => {
  const id = randomBytes(10).toString("hex");
  const documentId = /^id: (.+)$/m.exec(body.toString("utf8"))?.[1];
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<{ id: string }>(
      `insert into applications as known (id, owner_id, document_id, projects, latest_project_id, updated_at)
       values ($1, $2, $3, 1, $4, now())
       on conflict (owner_id, md5(document_id)) do update
         set projects = known.projects + 1, latest_project_id = excluded.latest_project_id, updated_at = now()
       returning id`,
      [`app_${id}`, owner, documentId, `proj_${id}`],
    );
    await client.query(
      `insert into projects (id, application_id, owner_id, document_id, name, outcome_type, last_sequence)
       values ($1, $2, $3, $4, 'Large', 'api', 1)`,
      [`proj_${id}`, rows[0]!.id, owner, documentId],
    );
    await client.query("insert into specs (project_id, content) values ($1, $2)", [`proj_${id}`, body]);
    await client.query(
      "insert into events (project_id, sequence, id, name, data) values ($1, 1, $2, 'project.created', $3)",
      [`proj_${id}`, `evt_${id}`, { name: "Large", status: "specification", spec_url: `/projects/proj_${id}/spec` }],
    );
    await client.query(
      `insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
       values ('engine', 2, now(), false, $1, 0, 'begin', '{}')`,
      [`proj_${id}`],
    );
    await client.query(
      `insert into audit (id, actor, actor_name, action, target, address, request_id)
       values ($1, $2, 'admin', 'project.create', $3, $4, '-')`,
      [id, owner, `proj_${id}`, ip],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
  return reply.code(201).send({ project_id: `proj_${id}`, status: "specification" });
});

const address = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`Peer is ready at ${address}\n`);
