-- What projects bring forth: which file is which blob. The bytes themselves are in the blob store.

create table artifacts (
  project_id text not null references projects (id) on delete cascade,
  type text not null,
  path text not null,
  -- SHA-256 of the bytes, and their key in the blob store.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null,
  media_type text not null,
  modified timestamptz not null,
  -- Null: as it is now, replaced by the next of its path. Otherwise as it was at that checkpoint, and there to stay.
  checkpoint_id text
);
-- By digest: a path may be longer than an index entry.
create unique index artifacts_by_path on artifacts (project_id, checkpoint_id, md5(path)) nulls not distinct;
