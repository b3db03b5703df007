-- Events: what has happened, written in the transaction that made it true, and whom it was told.

create table outbox_event (
  id uuid primary key,
  -- The transaction that wrote it. Readers of the feed go by this and not by the id, because transactions do not commit
  -- in the order in which they make ids; docs/outbox.md explains it.
  transaction_id xid8 not null default pg_current_xact_id(),
  event_type text not null,
  schema_version smallint not null,
  aggregate_type text not null,
  aggregate_id text not null,
  payload jsonb not null,
  idempotency_key text not null
    constraint outbox_event_idempotency_key_length check (char_length(idempotency_key) between 1 and 300),
  request_id text,
  status text not null default 'pending'
    constraint outbox_event_status_known check (status in ('pending', 'delivered', 'failed')),
  -- How many have begun. One that a crash cut short counts, so that an event that kills its process is given up, too.
  attempts smallint not null default 0,
  max_attempts smallint not null default 5,
  next_attempt_at timestamptz default now(),
  -- Made anew by every claim: whoever holds another can write nothing.
  claim_id uuid,
  error_message text,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint outbox_event_attempts_range check (attempts between 0 and max_attempts),
  constraint outbox_event_due_while_pending check ((status = 'pending') = (next_attempt_at is not null)),
  constraint outbox_event_claimed_while_pending check (claim_id is null or status = 'pending'),
  constraint outbox_event_delivery_dated check ((status = 'delivered') = (delivered_at is not null))
);

create unique index outbox_event_idempotency_key on outbox_event (event_type, idempotency_key);
create index outbox_event_pending_idx on outbox_event (next_attempt_at) where status = 'pending';
create index outbox_event_failed_idx on outbox_event (id) where status = 'failed';
create index outbox_event_feed_idx on outbox_event (transaction_id, id);

-- What a subscriber inside Nexus has made of an event. One that succeeded is never called again for it.
create table outbox_delivery (
  event_id uuid not null references outbox_event (id) on delete cascade,
  subscriber text not null,
  attempts smallint not null default 1,
  error_message text,
  delivered_at timestamptz,
  primary key (event_id, subscriber),
  constraint outbox_delivery_error_named check ((delivered_at is null) = (error_message is not null))
);

-- Webhooks: who outside of Nexus is told, and what became of it.

create table webhooks (
  id uuid primary key,
  url text not null
    constraint webhooks_url_length check (char_length(url) between 1 and 2048),
  -- None means all.
  event_types text[] not null default '{}',
  -- Since when nothing but failures came from it; null after a success.
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null))
);

-- Kept as they are, because they must sign. All that have not expired sign, so that a receiver can change over.
create table webhook_secrets (
  id uuid primary key,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  secret text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);

create index webhook_secrets_webhook_id_idx on webhook_secrets (webhook_id);

-- One event for one webhook. It outlives the event, and says again exactly what was said first.
create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  event_id uuid not null,
  event_type text not null,
  body text not null,
  status text not null default 'pending'
    constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz default now(),
  claim_id uuid,
  delivered_at timestamptz,
  error_message text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_deliveries_due_while_pending check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_claimed_while_pending check (claim_id is null or status = 'pending'),
  constraint webhook_deliveries_delivery_dated check ((status = 'delivered') = (delivered_at is not null))
);

create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, event_id);
create index webhook_deliveries_pending_idx on webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_list_idx on webhook_deliveries (webhook_id, id);

-- What was sent and what came back, attempt by attempt.
create table webhook_attempts (
  id uuid primary key,
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  url text not null,
  request_headers jsonb not null,
  response_status smallint,
  -- As much of it as helps to see what went wrong.
  response_body text,
  error_code text,
  error_message text,
  duration_ms integer not null,
  created_at timestamptz not null default now()
);

create index webhook_attempts_delivery_id_idx on webhook_attempts (delivery_id, id);
