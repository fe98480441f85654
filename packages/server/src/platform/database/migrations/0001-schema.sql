-- The whole schema. Sections: users, projects, engine, agents, approvals, artifacts, logs, sources, webhooks, integrations,
-- operations. All times are the database's own, so the clocks of the nodes need not agree.
--
-- Tables whose rows are leased share these words: claimed_by (who has the row), claimed_at, lease_expires_at (available_at or
-- due_at, where the column is also the due time), fence (grows with each claim, so that an earlier claimant can no longer
-- write) and is_paused (must not be claimed).

---------------------------------------------------------------------------------------------------------------------------
-- Users: accounts, their tokens and API keys
---------------------------------------------------------------------------------------------------------------------------

create table users (
  id text primary key,
  name text not null,
  role text not null check (role in ('svc:admin', 'svc:user', 'svc:readonly')),
  created_at timestamptz not null default now(),
  -- A removed user stays as the owner of their projects, and can do nothing any more.
  removed_at timestamptz
);
-- The name of a removed user is free again.
create unique index users_by_name on users (name) where removed_at is null;

-- User tokens and refresh tokens. We store only an HMAC of the secret; key_version names the master key that made it.
create table tokens (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  -- The tokens that came of one sign-in by refreshing: they end together if a refresh token is used twice.
  family_id text not null,
  hash bytea not null,
  key_version integer not null,
  created_at timestamptz not null default now(),
  -- Null: never expires (the administrator's own token).
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index tokens_of_user on tokens (user_id);
create index tokens_of_family on tokens (family_id);

create table api_keys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  scopes text[] not null,
  hash bytea not null,
  key_version integer not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_of_user on api_keys (user_id, id desc);

-- The master keys this database was used with: a node with another key could neither verify nor decrypt.
create table master_keys (
  version integer primary key,
  fingerprint bytea not null
);

---------------------------------------------------------------------------------------------------------------------------
-- Projects: applications, their runs and documents
---------------------------------------------------------------------------------------------------------------------------

create table applications (
  id text primary key,
  owner_id text not null references users (id),
  document_id text not null,
  -- How many runs it has. Counting them would scan projects for each row of a list.
  projects integer not null,
  latest_project_id text not null,
  created_at timestamptz not null default now(),
  -- When the latest run was created.
  updated_at timestamptz not null
);
-- Hashed, because a document's id may be longer than an index entry.
create unique index applications_by_document on applications (owner_id, md5(document_id));
create index applications_of_owner on applications (owner_id, id desc);

create table projects (
  id text primary key,
  application_id text not null references applications (id),
  owner_id text not null references users (id),
  document_id text not null,
  name text not null,
  outcome_type text not null,
  environment text,
  -- A person approves the plan before anything is built.
  review_plan boolean not null default false,
  status text not null default 'specification',
  current_phase text not null default 'specification',
  progress double precision not null default 0 check (progress between 0 and 1),
  agents jsonb not null default '{}',
  waiting_for text,
  error jsonb,
  -- Everything that decides what happens next; null until the run has begun.
  state json,
  -- The version of the plan that the run follows.
  plan_version integer,
  -- Grows with each change; the ETag is derived from it.
  version bigint not null default 1,
  -- The sequence of the project's last event.
  last_sequence bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
)
-- Each step updates the row: with free space on its page, Postgres need not touch the indexes.
with (fillfactor = 60);
create index projects_of_owner on projects (owner_id, id desc);
create index projects_by_status on projects (status, id desc);
create index projects_by_outcome_type on projects (outcome_type, id desc);
create index projects_by_document on projects (md5(document_id), id desc);
create index projects_of_application on projects (application_id, id desc);

-- The texts that `q` searches. They are not in projects, because each step would write their index anew.
create table project_names (
  project_id text primary key references projects (id) on delete cascade,
  name text not null,
  document_id text not null
);
-- `q` matches anywhere in a name. If the extension is missing or not permitted, lists with `q` scan the table.
do $$
declare
  extension_schema text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'without pg_trgm: %', sqlerrm;
  end;
  -- An operator may have installed it in a schema of its own.
  select nspname into extension_schema
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  if extension_schema is not null then
    -- Each search scans the pending list: with the default of 4 MB, the planner prefers to scan the table.
    execute format(
      'create index project_names_by_text on project_names using gin (name %1$I.gin_trgm_ops, document_id %1$I.gin_trgm_ops) '
      'with (gin_pending_list_limit = 128)',
      extension_schema
    );
  end if;
exception when insufficient_privilege then
  raise notice 'without an index for q: %', sqlerrm;
end
$$;

-- The bytes of a project's document, apart from the row that changes with each step.
create table specs (
  project_id text primary key references projects (id) on delete cascade,
  content bytea not null
);

---------------------------------------------------------------------------------------------------------------------------
-- Engine: plans, jobs, attempts, checkpoints and the event log
---------------------------------------------------------------------------------------------------------------------------

create table plans (
  project_id text not null references projects (id) on delete cascade,
  version integer not null,
  content json not null,
  created_at timestamptz not null default now(),
  primary key (project_id, version)
);

-- The nodes that claim jobs. All claims of a node last as long as its lease: renewing it writes one row, not one for each job.
create table nodes (
  name text primary key,
  lease_expires_at timestamptz not null
);

-- Jobs that wait or run.
create table jobs (
  id bigint generated always as identity primary key,
  queue text not null,
  -- The smallest goes first: 0 critical to 3 low.
  priority smallint not null,
  -- When a worker loop may claim it; of a claimed job: infinity.
  available_at timestamptz not null,
  -- Must not be claimed, whatever the time.
  is_paused boolean not null,
  -- The project it belongs to, and its number there.
  group_id text not null,
  number integer not null,
  kind text not null,
  payload json not null,
  -- Grows with each claim: an earlier claimant can no longer settle the job.
  fence integer not null default 0,
  claimed_by text,
  claimed_at timestamptz,
  -- How many claims ended without a result.
  losses integer not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index jobs_claimable on jobs (queue, priority, available_at) where not is_paused;
create unique index jobs_of_group on jobs (group_id, number);

-- events, attempts and checkpoints have no foreign key to projects: each is written while its project is locked, and a check
-- for each row would cost time in every step. A trigger deletes them with their project.

-- Finished attempts at tasks.
create table attempts (
  project_id text not null,
  task_id text not null,
  number integer not null,
  agent_id text not null,
  queued_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz not null,
  outcome text not null,
  error json,
  primary key (project_id, task_id, number)
);
create index attempts_of_agent on attempts (agent_id, ended_at desc);

-- The end of each phase: the workspace's commit and the state.
create table checkpoints (
  id text primary key,
  project_id text not null,
  phase text not null,
  plan_version integer not null,
  state json not null,
  created_at timestamptz not null default now()
);
create index checkpoints_of_project on checkpoints (project_id, id desc);

create table events (
  project_id text not null,
  sequence bigint not null,
  -- Unique by chance; nothing searches for it, so it has no index.
  id text not null,
  name text not null,
  data jsonb not null,
  -- The transaction that wrote it: readers of several projects stop at the oldest one still open.
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now(),
  primary key (project_id, sequence)
);
-- The log is read in commit order: by transaction, then by project and sequence. The index has only the transaction, because
-- every event pays for it; what remains to sort is one transaction's events.
create index events_in_commit_order on events (xid);
-- Times come nearly in order, so one entry for many rows is enough.
create index events_by_time on events using brin (created_at) with (autosummarize = on);

create function delete_project_history() returns trigger language plpgsql as $$
begin
  delete from events where project_id in (select id from deleted);
  delete from attempts where project_id in (select id from deleted);
  delete from checkpoints where project_id in (select id from deleted);
  return null;
end
$$;
create trigger projects_delete_history after delete on projects
  referencing old table as deleted for each statement execute function delete_project_history();

-- How far each reader of the whole log has read. One node at a time reads for a reader.
create table event_cursors (
  reader text primary key,
  xid xid8 not null,
  project_id text not null,
  sequence bigint not null,
  claimed_by text,
  lease_expires_at timestamptz
);
insert into event_cursors (reader, xid, project_id, sequence) values
  ('webhooks', pg_snapshot_xmin(pg_current_snapshot()), '', 0),
  ('integrations', pg_snapshot_xmin(pg_current_snapshot()), '', 0);

---------------------------------------------------------------------------------------------------------------------------
-- Agents: registered and declared agents, what they got and used, workers on other machines
---------------------------------------------------------------------------------------------------------------------------

create table agents (
  id text primary key,
  kind text not null,
  name text not null unique,
  capabilities text[] not null,
  -- Null: a node's config file declares it.
  registered_by text references users (id),
  -- For an agent that is reached over the network.
  url text,
  -- How many tasks a registered agent does in parallel; a declared one has a number for each node, in agent_presence.
  slots integer,
  -- Finishes its tasks and gets no new ones.
  is_draining boolean not null default false,
  -- The node that runs the tasks of a registered agent, and the end of its lease.
  claimed_by text,
  lease_expires_at timestamptz,
  created_at timestamptz not null default now()
);

-- The nodes where an agent is available.
create table agent_presence (
  agent_id text not null references agents (id) on delete cascade,
  node text not null,
  -- How many tasks it does in parallel on that node.
  slots integer not null,
  version text,
  -- Why this node cannot use the agent; null: it can.
  problem text,
  seen_at timestamptz not null default now(),
  primary key (agent_id, node)
);

-- What an agent got for an attempt, and what it used. Written before the agent starts.
create table agent_runs (
  project_id text not null references projects (id) on delete cascade,
  task_id text not null,
  number integer not null,
  agent_id text not null,
  node text not null,
  -- The folder it works in, on that node.
  attempt_id text not null,
  base_commit text not null,
  prompt text not null,
  limits json not null,
  -- Resumes the agent after a crash.
  handle text,
  last_status text,
  -- Null: unknown, which is not zero.
  input_tokens bigint,
  output_tokens bigint,
  cost_usd double precision,
  started_at timestamptz not null default now(),
  -- Null: still running.
  ended_at timestamptz,
  outcome text,
  primary key (project_id, task_id, number)
);
create index agent_runs_of_agent on agent_runs (agent_id, started_at desc);

-- Tasks that are offered to, or claimed by, a worker on another machine.
create table worker_leases (
  id text primary key,
  agent_id text not null references agents (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  task_id text not null,
  -- What the worker gets.
  work json not null,
  state text not null default 'offered' check (state in ('offered', 'claimed', 'completed', 'ended')),
  -- Grows with each claim: an earlier worker can no longer write.
  fence integer not null default 0,
  claimed_at timestamptz,
  last_heartbeat_at timestamptz,
  -- The process that acts on the worker's events. A process that lost the attempt no longer may.
  followed_by text,
  -- The highest sequence of an event that arrived: a repeated event counts once.
  last_sequence bigint not null default 0,
  -- The worker must stop.
  is_cancelled boolean not null default false,
  -- The worker's final report.
  report json,
  created_at timestamptz not null default now()
);
create index worker_leases_claimable on worker_leases (agent_id, created_at) where state = 'offered';

-- A worker's events, until the process that follows it has read them.
create table worker_events (
  lease_id text not null references worker_leases (id) on delete cascade,
  sequence bigint not null,
  event json not null,
  primary key (lease_id, sequence)
);

---------------------------------------------------------------------------------------------------------------------------
-- Approvals: questions to people
---------------------------------------------------------------------------------------------------------------------------

create table approvals (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  -- plan, deployment, or permission if an agent asks.
  gate text not null,
  round integer not null,
  phase text not null,
  environment text not null,
  approvers text[] not null,
  -- Set if an agent asks.
  task_id text,
  agent_id text,
  question text,
  deadline timestamptz not null,
  -- approved, denied, expired or withdrawn; null: pending.
  decision text,
  decided_at timestamptz,
  decided_by text,
  comment text,
  created_at timestamptz not null default now(),
  unique (project_id, gate, round)
);
create index approvals_of_project on approvals (project_id, id desc);

---------------------------------------------------------------------------------------------------------------------------
-- Artifacts: files that projects produced, the contents of the blob store, uploads
---------------------------------------------------------------------------------------------------------------------------

create table artifacts (
  project_id text not null references projects (id) on delete cascade,
  -- Null: the current file, which the next one of its path replaces. Otherwise the file of that checkpoint, which stays.
  checkpoint_id text,
  type text not null,
  path text not null,
  -- SHA-256 of the bytes, and their key in the blob store.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null,
  media_type text not null,
  modified timestamptz not null
);
-- Hashed, because a path may be longer than an index entry.
create unique index artifacts_by_path on artifacts (project_id, checkpoint_id, md5(path)) nulls not distinct;
create index artifacts_of_blob on artifacts (digest);

-- The contents of the blob store.
create table blobs (
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null,
  -- When these bytes were last stored. Young blobs are not collected, because the row that refers to them may not exist yet.
  put_at timestamptz not null default now(),
  -- When they were last compared with their digest; null: never.
  verified_at timestamptz,
  -- Null: intact.
  problem text check (problem in ('missing', 'changed'))
);
create index blobs_by_age on blobs (put_at);
create index blobs_to_verify on blobs (verified_at nulls first, digest);

-- Uploads that arrive in pieces.
create table uploads (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  -- Who began it; only that user may continue it.
  user_id text not null references users (id) on delete cascade,
  type text not null,
  path text not null,
  media_type text not null,
  size_bytes bigint not null,
  -- The expected digest of all bytes; null: the client gave none.
  digest text,
  -- How many bytes have arrived.
  received bigint not null default 0,
  is_complete boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index uploads_of_project on uploads (project_id);
create index uploads_by_end on uploads (expires_at);

-- The pieces of an upload; each is a blob.
create table upload_pieces (
  upload_id text not null references uploads (id) on delete cascade,
  start bigint not null,
  digest text not null,
  size_bytes bigint not null,
  primary key (upload_id, start)
);

---------------------------------------------------------------------------------------------------------------------------
-- Logs: what agents, scripts and services of projects write
---------------------------------------------------------------------------------------------------------------------------

-- Secrets are masked already. A row has several lines.
create table logs (
  id bigint generated always as identity primary key,
  project_id text not null references projects (id) on delete cascade,
  -- agent, build, test, deploy, or a service's name.
  source text not null,
  task_id text not null,
  attempt integer not null,
  agent_id text not null,
  lines integer not null,
  text text not null,
  -- The transaction that wrote it: a reader that follows the log stops at the oldest one still open.
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now()
);
create index logs_of_project on logs (project_id, id);

---------------------------------------------------------------------------------------------------------------------------
-- Sources: what the builder made, what people changed
---------------------------------------------------------------------------------------------------------------------------

-- What the builder made of a document, and the result of merging it with a person's changes.
create table generations (
  project_id text not null references projects (id) on delete cascade,
  -- Another plan yields another set of files.
  plan_version integer not null,
  -- Each is a commit and the bundle that contains it, before and after the merge; merged is null if there were no changes.
  generated json not null,
  merged json,
  -- Whose files it was merged with, and the conflicts.
  report json,
  -- The newest version of application_sources that it contains: a later one is for the next run.
  source_version integer not null,
  primary key (project_id, plan_version)
);

-- The files that a person wants the next run of an application to begin from.
create table application_sources (
  application_id text primary key references applications (id) on delete cascade,
  -- Grows with each put.
  version integer not null,
  source json not null,
  -- What the builder had made before the person changed it; null: nothing.
  base json,
  -- The run whose result the person changed; it may have been deleted.
  base_project_id text,
  files integer not null,
  size_bytes bigint not null,
  put_by text not null references users (id),
  put_at timestamptz not null
);

-- The files of a commit, counted at the first request.
create table source_trees (
  project_id text not null references projects (id) on delete cascade,
  commit text not null,
  tree text not null,
  files integer not null,
  size_bytes bigint not null,
  modified timestamptz not null,
  primary key (project_id, commit)
);

---------------------------------------------------------------------------------------------------------------------------
-- Webhooks: subscriptions and deliveries
---------------------------------------------------------------------------------------------------------------------------

create table webhooks (
  id text primary key,
  owner_id text not null references users (id) on delete cascade,
  url text not null,
  events text[] not null,
  -- Only events of this project; null: of all projects that the owner may read.
  project_id text,
  ordering text not null check (ordering in ('none', 'project')),
  description text not null default '',
  -- Both encrypted.
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'parked', 'disabled')),
  parked_until timestamptz,
  -- How often it was parked in a row.
  parks integer not null default 0,
  disabled_reason text,
  failing_since timestamptz,
  -- A webhook receives every event not yet visible in the snapshot that created it.
  creation_snapshot pg_snapshot not null default pg_current_snapshot(),
  -- Its own cursor in the log while it does not keep up with the others; null: it does.
  cursor_xid xid8,
  cursor_project_id text,
  cursor_sequence bigint,
  -- Grows with each change to what senders cache.
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A webhook that receives nothing for now would otherwise miss the events written meanwhile.
  constraint webhooks_have_cursor check (status = 'active' or cursor_xid is not null)
);
create index webhooks_of_owner on webhooks (owner_id, id desc);

-- The last `webhook-sequence` of each project and webhook. It stays when deliveries are removed.
create table webhook_sequences (
  webhook_id text not null,
  project_id text not null,
  last bigint not null,
  primary key (webhook_id, project_id)
)
-- Each batch updates the row: with free space on its page, Postgres need not touch the index.
with (fillfactor = 50);

-- Deliveries that are pending, failed, or took more than one attempt. No foreign keys: they would check the webhook for each
-- row. Deliveries of a deleted webhook are never sent, and are removed in time.
create table deliveries (
  -- delivered_runs take their ids from the same sequence. A run has at most 1,024 deliveries, whose ids follow the run's
  -- without a gap; so ids are unique and ordered over both tables.
  id bigint generated always as identity (increment by 1024) primary key,
  webhook_id text not null,
  event_id text not null,
  event text not null,
  -- Empty: the event belongs to no project.
  project_id text not null,
  -- The event's sequence in its project's log; null: it is not in the log.
  event_sequence bigint,
  -- Its `webhook-sequence`; null: it has none.
  sequence bigint,
  -- Only for an event that is not in the log.
  data jsonb,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'withheld')),
  reason text,
  -- When to try it, or when the lease of the node that tries it ends; null: never again.
  due_at timestamptz,
  claimed_by text,
  fence integer not null default 0,
  -- All attempts, and those that count towards giving up.
  attempt_count integer not null default 0,
  failures integer not null default 0,
  -- The last attempts.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
-- In the order in which they are claimed: a plan made on an empty table would otherwise read all of a webhook's deliveries.
create index deliveries_due on deliveries (webhook_id, due_at, id) where status = 'pending';
create index deliveries_of_webhook on deliveries (webhook_id, id);
create index deliveries_of_event on deliveries (webhook_id, project_id, event_sequence);

-- Deliveries that arrived at the first attempt: one row for a webhook's part of a batch. A row each, with three indexes and
-- the attempt as jsonb, was most of what a delivery cost. A delivery that is sent again gets a row in deliveries with the
-- same id, which replaces the one here.
create table delivered_runs (
  id bigint primary key default nextval('deliveries_id_seq'),
  webhook_id text not null,
  count integer not null,
  -- One element for each delivery, in the order of their ids.
  event_ids text[] not null,
  events text[] not null,
  project_ids text[] not null,
  event_sequences bigint[] not null,
  sequences bigint[] not null,
  -- An array with the attempt of each. As json, not jsonb: it is hardly ever read.
  attempts json not null,
  -- When all of them had arrived.
  created_at timestamptz not null default now()
);
-- Compressing these takes longer than writing them as they are.
alter table delivered_runs
  alter column event_ids set storage external,
  alter column events set storage external,
  alter column project_ids set storage external,
  alter column event_sequences set storage external,
  alter column sequences set storage external,
  alter column attempts set storage external;
create index delivered_runs_of_webhook on delivered_runs (webhook_id, id);

---------------------------------------------------------------------------------------------------------------------------
-- Integrations: messages in Slack, tickets in Jira
---------------------------------------------------------------------------------------------------------------------------

-- Messages and ticket changes that events cause.
create table notices (
  id bigint generated always as identity primary key,
  project_id text not null references projects (id) on delete cascade,
  target text not null check (target in ('slack', 'jira')),
  action jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'skipped', 'failed')),
  -- When to try it, or when the lease of the node that tries it ends; null: never again.
  due_at timestamptz default now(),
  fence integer not null default 0,
  attempt_count integer not null default 0,
  reason text,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
-- Notices of one project and target are sent one after the other.
create index notices_pending on notices (project_id, target, id) where status = 'pending';
create index notices_ended on notices (ended_at) where ended_at is not null;

create table jira_tickets (
  project_id text not null references projects (id) on delete cascade,
  -- The id of a task; empty: the ticket is the project's.
  subject text not null,
  issue_key text not null,
  primary key (project_id, subject)
);

---------------------------------------------------------------------------------------------------------------------------
-- Operations: the audit log, idempotency, rate limits
---------------------------------------------------------------------------------------------------------------------------

create table audit (
  id text primary key,
  at timestamptz not null default now(),
  actor text not null,
  actor_name text not null,
  action text not null,
  target text not null,
  address text not null,
  request_id text not null,
  detail jsonb not null default '{}'
);

-- Requests with an Idempotency-Key, and their responses.
create table idempotency (
  principal text not null,
  method text not null,
  path text not null,
  key text not null,
  request_hash bytea not null,
  -- Null while the first request is in flight.
  status integer,
  headers jsonb,
  body bytea,
  -- The response contains a secret, so body is encrypted.
  is_encrypted boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (principal, method, path, key)
);
create index idempotency_by_expiry on idempotency (expires_at);

-- Request counts that the nodes share. Unlogged: a crash may lose them.
create unlogged table rate_counts (
  key text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (key, window_start)
);
