-- Branches: what people make of a document's text, event by event, so that every state of it can be had again.

create table branches (
  id uuid primary key,
  media_id uuid not null references media (id) on delete cascade,
  name text not null
    constraint branches_name_length check (char_length(name) between 1 and 200),
  -- The branch it was forked from, and after which of its events; neither when it was forked from the document.
  parent_branch_id uuid references branches (id),
  parent_position integer,
  base_hash text not null,
  base_length integer not null,
  -- The head: what the last event left. Whoever appends locks this row, so that one goes after the other.
  event_count integer not null default 0
    constraint branches_event_count_range check (event_count >= 0),
  text_hash text not null,
  text_length integer not null,
  created_by_user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint branches_parent_whole check (num_nonnulls(parent_branch_id, parent_position) in (0, 2))
);

create index branches_media_id_idx on branches (media_id, id);
create index branches_parent_idx on branches (parent_branch_id) where parent_branch_id is not null;

-- What was done to the text, and the hash of what it left. Only ever added to.
create table branch_events (
  branch_id uuid not null references branches (id) on delete cascade,
  position integer not null
    constraint branch_events_position_from_one check (position >= 1),
  kind text not null,
  -- Both in Unicode code points.
  at integer,
  length integer,
  text text,
  form text,
  text_hash text not null,
  text_length integer not null,
  created_by_user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  primary key (branch_id, position),
  constraint branch_events_fit_their_kind check (
    case kind
      when 'insert' then at >= 0 and length is null and text is not null and form is null
      when 'delete' then at >= 0 and length >= 1 and text is null and form is null
      when 'replace' then at >= 0 and length >= 1 and text is not null and form is null
      when 'normalize' then at is null and length is null and text is null and form in ('NFC', 'NFD', 'NFKC', 'NFKD')
      else false
    end
  )
);

-- The text after some events, so that reading at a point takes few of them. Position 0 is what was forked; the others are
-- derived from it and the events.
create table branch_snapshots (
  branch_id uuid not null references branches (id) on delete cascade,
  position integer not null,
  text text not null,
  primary key (branch_id, position)
);
