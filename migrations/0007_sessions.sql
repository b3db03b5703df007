-- How people sign in: sessions, one-time links, and a brake on guessing.

-- Somebody who signed in and has not signed out: in a browser, which keeps the token in a cookie; or a program, which has
-- refresh tokens, and access tokens that name the session.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  kind text not null
    constraint sessions_kind_known check (kind in ('browser', 'program')),
  began_with text not null
    constraint sessions_began_with_known check (began_with in ('password', 'api_key', 'sign_in_link')),
  -- The key it began with. The session may do no more than the key, and ends with it.
  api_key_id uuid references api_keys (id) on delete cascade,
  -- SHA-256 of the browser's token, which has 256 random bits and is stored nowhere.
  token_hash bytea
    constraint sessions_token_hash_key unique
    constraint sessions_token_hash_length check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint sessions_token_kept check ((kind = 'browser') = (token_hash is not null)),
  constraint sessions_key_named check ((began_with = 'api_key') = (api_key_id is not null))
);

create index sessions_user_id_idx on sessions (user_id);
create index sessions_api_key_id_idx on sessions (api_key_id) where api_key_id is not null;

-- Each is good for one refresh. Spent ones are kept with their session, so that a stolen one gives itself away.
create table refresh_tokens (
  token_hash bytea primary key
    constraint refresh_tokens_token_hash_length check (octet_length(token_hash) = 32),
  session_id uuid not null references sessions (id) on delete cascade,
  spent_at timestamptz,
  created_at timestamptz not null default now()
);

create index refresh_tokens_session_id_idx on refresh_tokens (session_id);

-- Links that sign somebody in once. The row goes when it is used.
create table sign_in_links (
  token_hash bytea primary key
    constraint sign_in_links_token_hash_length check (octet_length(token_hash) = 32),
  user_id uuid not null references users (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

create index sign_in_links_user_id_idx on sign_in_links (user_id);

-- Names that people had before. Nobody else may take them: jobs and the audit log name people by their username.
create table former_usernames (
  username text primary key
    constraint former_usernames_folded check (username = lower(username)),
  user_id uuid not null references users (id) on delete cascade
);

create index former_usernames_user_id_idx on former_usernames (user_id);

-- Token buckets. Nothing in them outlives a few minutes, so a crash may empty the table, and no log is written for it.
create unlogged table rate_limit_buckets (
  name text primary key,
  tokens double precision not null,
  -- What the last one who asked was given.
  granted double precision not null,
  refilled_at timestamptz not null
);

create index rate_limit_buckets_refilled_at_idx on rate_limit_buckets (refilled_at);

-- Null: what the role allows.
alter table api_keys
  add column requests_per_minute integer
    constraint api_keys_requests_per_minute_range check (requests_per_minute between 1 and 1000000);
