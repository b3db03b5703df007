-- Requests with an Idempotency-Key, and deletions: a second one changes nothing and gets the answer of the first. They are
-- kept for a day.
create table idempotent_requests (
  user_id uuid not null references users (id) on delete cascade,
  -- SHA-256 of the key. The key itself encrypts the answer, which may contain a secret, and is stored nowhere.
  key_hash bytea not null
    constraint idempotent_requests_key_hash_length check (octet_length(key_hash) = 32),
  -- SHA-256 of method, path and body: the same key must not be used for another request.
  request_hash bytea not null
    constraint idempotent_requests_request_hash_length check (octet_length(request_hash) = 32),
  -- Null from the commit of what the request has done until its answer is stored.
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (user_id, key_hash)
);

create index idempotent_requests_created_at_idx on idempotent_requests (created_at);

-- What a key may be used for, within the role of its user. Null: everything that its role allows.
alter table api_keys
  add column scopes text[]
    constraint api_keys_scopes_known
      check (scopes <@ array['read', 'write', 'operate', 'admin'] and scopes && array['read', 'write']);

-- The length of a fragment as JavaScript counts it, in UTF-16 units: a character beyond U+FFFF has two. With it, a book's
-- chapters can be listed, and a page of them cut, without reading their text.
alter table media_fragments
  add column text_length integer not null
    generated always as (
      char_length(canonical_text)
      + (octet_length(canonical_text) - octet_length(regexp_replace(canonical_text, '[\U00010000-\U0010FFFF]', '', 'g'))) / 4
    ) stored;
