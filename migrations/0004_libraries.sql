-- What libraries hold, who is invited into them, and the closure that fills everybody's default library.

-- Enough for libraries to hold something.
create table media (
  id uuid primary key,
  kind text not null
    constraint media_kind_known check (kind in ('web_article', 'video', 'pdf', 'epub', 'podcast_episode')),
  title text not null
    constraint media_title_length check (char_length(title) between 1 and 1000),
  created_by_user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index media_created_by_user_id_idx on media (created_by_user_id);

-- The next three tables have no foreign keys. One insert can write thousands of rows, and PostgreSQL checks a key row by
-- row: adding a media to a library of 5,000 members took 0.1 s without them, 0.2 s with keys to libraries and media, and
-- 3 s with keys between the three. closure.ts, their only writer, locks the library and the media instead, once for all
-- rows; the integrity audit looks for what should not be.

-- What is listed where.
create table library_media (
  library_id uuid not null,
  media_id uuid not null,
  -- Whether the library is a default library. There the row must be justified by an intrinsic or an edge.
  is_derived boolean not null,
  added_by_user_id uuid,
  created_at timestamptz not null default now(),
  primary key (library_id, media_id)
);

-- A library's list: what was added last comes first.
create index library_media_list_idx on library_media (library_id, created_at, media_id);
-- Which shared libraries hold a media. The rows of default libraries are many, and are found through these.
create index library_media_shared_idx on library_media (media_id) where not is_derived;

-- Somebody put it into their default library themselves.
create table default_library_intrinsics (
  default_library_id uuid not null,
  media_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (default_library_id, media_id)
);

create index default_library_intrinsics_media_id_idx on default_library_intrinsics (media_id);

-- It is in the default library because its owner is a member of the source, which holds it. There is no second index:
-- one on (source_library_id, media_id) made materialising a third dearer, and the edges of a source are found through
-- its members as well.
create table default_library_closure_edges (
  default_library_id uuid not null,
  media_id uuid not null,
  source_library_id uuid not null,
  primary key (default_library_id, media_id, source_library_id)
);

create table library_invitations (
  id uuid primary key,
  library_id uuid not null references libraries (id) on delete cascade,
  inviter_user_id uuid not null references users (id),
  invitee_user_id uuid not null references users (id),
  role text not null
    constraint library_invitations_role_known check (role in ('admin', 'member')),
  status text not null default 'pending'
    constraint library_invitations_status_known check (status in ('pending', 'accepted', 'declined', 'revoked')),
  created_at timestamptz not null default now(),
  responded_at timestamptz,
  constraint library_invitations_response_dated check ((status = 'pending') = (responded_at is null))
);

create unique index library_invitations_one_pending on library_invitations (library_id, invitee_user_id)
  where status = 'pending';
create index library_invitations_library_idx on library_invitations (library_id, status, id);
create index library_invitations_invitee_idx on library_invitations (invitee_user_id, status, id);

-- Closure edges for an accepted membership are still to be, or were, materialised.
create table default_library_backfill_jobs (
  default_library_id uuid not null,
  source_library_id uuid not null references libraries (id) on delete cascade,
  user_id uuid not null,
  status text not null default 'pending'
    constraint default_library_backfill_jobs_status_known
    check (status in ('pending', 'running', 'completed', 'failed')),
  attempts smallint not null default 0
    constraint default_library_backfill_jobs_attempts_range check (attempts between 0 and 5),
  last_error_code text,
  -- From when on a pending row is to be worked on.
  due_at timestamptz not null default now(),
  -- The job that was dispatched for it, or runs it.
  job_id uuid,
  -- Made anew by every claim: whoever holds another can finish nothing.
  claim_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (default_library_id, source_library_id, user_id),
  -- Nobody's default library can be filled on behalf of somebody else.
  constraint default_library_backfill_jobs_own_library
    foreign key (default_library_id, user_id) references libraries (id, owner_user_id) on delete cascade,
  constraint default_library_backfill_jobs_claim_whole check ((status = 'running') = (claim_id is not null)),
  constraint default_library_backfill_jobs_error_named check ((status = 'failed') = (last_error_code is not null)),
  constraint default_library_backfill_jobs_end_dated
    check ((status in ('completed', 'failed')) = (finished_at is not null))
);

create index default_library_backfill_jobs_source_idx on default_library_backfill_jobs (source_library_id);
create index default_library_backfill_jobs_list_idx
  on default_library_backfill_jobs (created_at, default_library_id, source_library_id);
-- What is not done is little, and is what the sweep and operators look for.
create index default_library_backfill_jobs_open_idx
  on default_library_backfill_jobs (status, created_at, default_library_id, source_library_id)
  where status <> 'completed';
