-- Secrets that documents get from the provider 'slipway'.

create table secrets (
  id text primary key,
  -- Null: for the documents of every user.
  owner_id text references users (id) on delete cascade,
  name text not null,
  -- Encrypted, together with whose secret it is and its name.
  value bytea not null,
  updated_by text references users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint secrets_of_owner unique nulls not distinct (owner_id, name)
);
