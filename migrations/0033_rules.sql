-- Rules of a person: what happens to the media that they save, if it matches a query of the search language. The query is
-- parsed anew whenever it is carried out. `actions` may name a library that is gone by now.
create table rules (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  query text not null,
  actions jsonb not null,
  is_enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint rules_name_length check (char_length(name) between 1 and 100),
  constraint rules_query_length check (char_length(query) between 1 and 1000)
);
create index rules_user_id_idx on rules (user_id, id);

-- The rule that added a tag, while it exists.
alter table media_tags add column rule_id uuid references rules on delete set null;
create index media_tags_rule_id_idx on media_tags (rule_id) where rule_id is not null;

-- When it became a favourite. Null for older favourites.
alter table media_mine add column favourited_at timestamptz;

-- Saves that the rules of their person have not been applied to yet. The row goes with the save.
create table rules_pending (
  default_library_id uuid not null,
  media_id uuid not null,
  event_id uuid not null,
  primary key (default_library_id, media_id),
  foreign key (default_library_id, media_id) references default_library_intrinsics on delete cascade
);
create index rules_pending_media_id_idx on rules_pending (media_id);

-- A run applies a rule, as it was at that moment, to everything that matches.
create table rule_runs (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  rule_id uuid references rules on delete set null,
  rule_name text not null,
  query text not null,
  actions jsonb not null,
  is_dry_run boolean not null,
  status text not null default 'queued',
  job_id uuid not null,
  error_message text,
  matched_count integer not null default 0,
  changed_count integer not null default 0,
  refused_count integer not null default 0,
  undone_count integer not null default 0,
  kept_count integer not null default 0,
  undo_job_id uuid,
  undo_status text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint rule_runs_status_known check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  constraint rule_runs_undo_status_known
    check (undo_status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  constraint rule_runs_undo_whole check ((undo_job_id is null) = (undo_status is null)),
  constraint rule_runs_dry_not_undone check (not is_dry_run or undo_job_id is null),
  constraint rule_runs_finished check ((status in ('queued', 'running')) = (finished_at is null))
);
create index rule_runs_user_id_idx on rule_runs (user_id, id);
create index rule_runs_rule_id_idx on rule_runs (rule_id);
create index rule_runs_finished_at_idx on rule_runs (finished_at);

-- What a run changed of one media, or would change. `changed_at` is the time of the transaction that changed it, which is
-- also the time of each row that it wrote: undoing finds by it what nobody has changed since.
create table rule_run_items (
  run_id uuid not null references rule_runs on delete cascade,
  media_id uuid not null references media on delete cascade,
  tags text[] not null,
  is_added boolean not null,
  is_archived boolean not null,
  is_favourite boolean not null,
  refused text[] not null,
  changed_at timestamptz not null default now(),
  undone_at timestamptz,
  kept text[],
  primary key (run_id, media_id),
  constraint rule_run_items_undone_whole check ((undone_at is null) = (kept is null))
);
create index rule_run_items_media_id_idx on rule_run_items (media_id);
create index rule_run_items_to_undo_idx on rule_run_items (run_id, media_id) where undone_at is null;
