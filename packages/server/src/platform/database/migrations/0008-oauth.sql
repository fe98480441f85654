-- Sign-in with providers of others, sign-in of command lines by a browser, and where sessions come from.

-- Null: a user whom an administrator made. Else the service must hear from the provider by then that they still may.
alter table users add column access_until timestamptz;

-- Who somebody is at a provider. A removed user's stays, so that they do not come back as somebody new.
create table identities (
  provider text not null,
  subject text not null,
  user_id text not null unique references users (id),
  -- Roles, groups and teams at the provider.
  roles text[] not null,
  -- The provider's tokens, encrypted; null when access has ended.
  tokens bytea,
  checked_at timestamptz not null,
  -- Until then, a node asks the provider.
  claimed_until timestamptz,
  primary key (provider, subject)
);
create index identities_by_check on identities (checked_at) where tokens is not null;

-- Sign-ins that browsers have begun; the row goes with the first answer.
create table sign_in_attempts (
  state text primary key,
  provider text not null,
  -- HMAC of the cookie of the browser that began.
  browser bytea not null,
  -- Nonce and PKCE verifier, encrypted.
  checks bytea not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);

-- Command lines that wait for somebody to let them in (RFC 8628).
create table device_logins (
  id text primary key,
  hash bytea not null,
  key_version integer not null,
  -- What people read and type.
  user_code text not null unique,
  device text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When it asked last; who asks too often is told to slow down.
  polled_at timestamptz,
  user_id text references users (id) on delete cascade,
  decision text check (decision in ('approve', 'deny'))
);
create index device_logins_by_expiry on device_logins (expires_at);

-- Where a sign-in came from, for people to recognise it.
alter table tokens add column device text;
alter table tokens add column address text;
