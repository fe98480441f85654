-- Which contents are in the blob store, what the files of commits weigh, and uploads that arrive in pieces.

create table blobs (
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null,
  -- When somebody kept these bytes last: what is new is not collected, since what refers to it may not be written yet.
  put_at timestamptz not null default now(),
  -- When they were last compared with their digest; null: never.
  verified_at timestamptz,
  -- Null: as they should be.
  problem text check (problem in ('missing', 'changed'))
);
create index blobs_by_age on blobs (put_at);
create index blobs_to_verify on blobs (verified_at nulls first, digest);
create index artifacts_of_blob on artifacts (digest);

-- The files of a commit, counted when somebody first asks.
create table source_trees (
  project_id text not null references projects (id) on delete cascade,
  commit text not null,
  tree text not null,
  files integer not null,
  size_bytes bigint not null,
  modified timestamptz not null,
  primary key (project_id, commit)
);

create table uploads (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  -- Who began it, and alone goes on with it.
  user_id text not null references users (id) on delete cascade,
  type text not null,
  path text not null,
  media_type text not null,
  size_bytes bigint not null,
  -- What all bytes must have as their digest; null: nobody said.
  digest text,
  -- How many bytes are here.
  received bigint not null default 0,
  is_complete boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index uploads_of_project on uploads (project_id);
create index uploads_by_end on uploads (expires_at);

-- The pieces of an upload, each a blob.
create table upload_pieces (
  upload_id text not null references uploads (id) on delete cascade,
  start bigint not null,
  digest text not null,
  size_bytes bigint not null,
  primary key (upload_id, start)
);
