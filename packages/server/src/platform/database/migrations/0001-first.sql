-- Users, their tokens and keys; applications, projects and their events; the audit log; idempotency and shared rate limits.

create table users (
  id text primary key,
  name text not null unique,
  role text not null check (role in ('svc:admin', 'svc:user', 'svc:readonly')),
  created_at timestamptz not null default now()
);

-- User tokens and refresh tokens. Only an HMAC of the secret is kept; key_version names the master key it was made with.
create table tokens (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  hash bytea not null,
  key_version integer not null,
  created_at timestamptz not null default now(),
  -- Null: does not expire (the administrator's own).
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index tokens_of_user on tokens (user_id);

-- Which master keys this database was used with: a node with others could neither verify nor decrypt.
create table master_keys (
  version integer primary key,
  fingerprint bytea not null
);

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

create table applications (
  id text primary key,
  owner_id text not null references users (id),
  document_id text not null,
  created_at timestamptz not null default now()
);
-- By digest: a document's id may be longer than an index entry.
create unique index applications_by_document on applications (owner_id, md5(document_id));

create table projects (
  id text primary key,
  application_id text not null references applications (id),
  owner_id text not null references users (id),
  document_id text not null,
  name text not null,
  outcome_type text not null,
  environment text,
  status text not null default 'specification',
  current_phase text not null default 'specification',
  progress double precision not null default 0 check (progress between 0 and 1),
  agents jsonb not null default '{}',
  waiting_for text,
  error jsonb,
  -- Grows with each change; the ETag is made of it.
  version bigint not null default 1,
  -- The sequence of its last event.
  last_sequence bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_of_owner on projects (owner_id, id desc);
create index projects_by_status on projects (status, id desc);
create index projects_by_outcome_type on projects (outcome_type, id desc);
create index projects_by_document on projects (md5(document_id), id desc);
create index projects_of_application on projects (application_id, id desc);

-- The very bytes, apart from the row that changes with each step.
create table specs (
  project_id text primary key references projects (id) on delete cascade,
  content bytea not null
);

create table events (
  project_id text not null references projects (id) on delete cascade,
  sequence bigint not null,
  id text not null,
  name text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  -- The transaction that wrote it: readers of several projects go no further than the oldest one still open.
  xid xid8 not null default pg_current_xact_id(),
  primary key (project_id, sequence)
);
create unique index events_by_id on events (id);
create index events_in_commit_order on events (xid, id);

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

create table idempotency (
  principal text not null,
  method text not null,
  path text not null,
  key text not null,
  request_hash bytea not null,
  -- Null while the first request is under way.
  status integer,
  headers jsonb,
  body bytea,
  -- The answer holds a secret: body is encrypted.
  is_encrypted boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (principal, method, path, key)
);
create index idempotency_by_expiry on idempotency (expires_at);

-- Counts that several nodes share. Losing them in a crash loses nothing.
create unlogged table rate_counts (
  key text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (key, window_start)
);
