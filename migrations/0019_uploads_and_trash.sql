-- Uploads that end, a trash, and what nobody holds any more.

-- An upload, from its beginning to its answer. It has no foreign key to media: an upload that turned out to be a duplicate
-- outlives the media that it began as, so that asking again gives the same answer.
create table uploads (
  media_id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Where the checked file lies. The upload URL of a store cannot write here.
  path text not null,
  content_type text not null,
  size_bytes bigint not null,
  status text not null default 'open'
    constraint uploads_status_known check (status in ('open', 'taken_in', 'refused', 'expired')),
  -- When the file was there, whole. From then on the upload URL is spent.
  received_at timestamptz,
  sha256 text,
  -- What the upload became: its own media, or the one that its owner has of the same file.
  outcome_media_id uuid,
  error_code text,
  error_message text,
  open_until timestamptz not null,
  closed_at timestamptz,
  constraint uploads_received_whole check ((received_at is null) = (sha256 is null)),
  constraint uploads_outcome_known check ((status = 'taken_in') = (outcome_media_id is not null)),
  constraint uploads_refusal_told check (
    num_nonnulls(error_code, error_message) = case when status in ('refused', 'expired') then 2 else 0 end
  ),
  constraint uploads_end_dated check ((status = 'open') = (closed_at is null))
);

create unique index uploads_path_key on uploads (path);
-- The sweep looks for those that were abandoned, and deletes those that ended long ago.
create index uploads_open_idx on uploads (open_until) where status = 'open';
create index uploads_closed_idx on uploads (closed_at) where status <> 'open';
create index uploads_outcome_idx on uploads (outcome_media_id) where outcome_media_id is not null;

-- Uploads of earlier releases that were never ended: the sweep ends them.
insert into uploads (media_id, user_id, path, content_type, size_bytes, open_until)
select
  id, created_by_user_id, 'media/' || id || '/original.' || kind,
  case kind when 'pdf' then 'application/pdf' else 'application/epub+zip' end, 0, created_at + interval '15 minutes'
from media
where kind in ('pdf', 'epub') and processing_status = 'pending' and file_path is null and job_id is null
  and canonical_url is null;

-- Media that wait for a job, so that the sweep finds those whose job is over. The search index is such a job, too.
drop index media_under_way_idx;
create index media_under_way_idx on media (id)
  where processing_status in ('pending', 'extracting', 'ready_for_reading', 'embedding');

-- What people removed from their libraries, until it is deleted for good. Like the other tables of closure.ts it has no
-- foreign key to libraries; the one to media makes a removal and a purge wait for each other.
create table trash (
  default_library_id uuid not null,
  media_id uuid not null references media (id) on delete cascade,
  trashed_at timestamptz not null default now(),
  -- The shared library that it was removed from, and goes back to. Null when it was removed from the person's own library.
  library_id uuid,
  -- When its owner had saved it, and the address as they typed it: restoring brings both back.
  saved_at timestamptz,
  requested_url text,
  primary key (default_library_id, media_id)
);

create index trash_media_id_idx on trash (media_id);
create index trash_list_idx on trash (default_library_id, trashed_at, media_id);
create index trash_age_idx on trash (trashed_at);

-- Media that no library lists and that are in nobody's trash, and since when that is known.
create table unheld_media (
  media_id uuid primary key references media (id) on delete cascade,
  since timestamptz not null default now()
);

create index unheld_media_since_idx on unheld_media (since);
