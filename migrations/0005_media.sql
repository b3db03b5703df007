-- What is saved, how far it has come, and what was made of it.

alter table media
  add column processing_status text not null default 'pending'
    constraint media_processing_status_known check (
      processing_status in ('pending', 'extracting', 'ready_for_reading', 'embedding', 'ready', 'failed')
    ),
  add column failure_stage text
    constraint media_failure_stage_known check (
      failure_stage in ('upload', 'extract', 'transcribe', 'embed', 'other')
    ),
  add column last_error_code text,
  add column last_error_message text,
  add column processing_attempts integer not null default 0,
  add column processing_started_at timestamptz,
  add column processing_completed_at timestamptz,
  add column failed_at timestamptz,
  -- What it was called before anything was known of it.
  add column given_title text,
  add column requested_url text,
  add column canonical_url text
    constraint media_canonical_url_length check (octet_length(canonical_url) <= 2048),
  add column provider text,
  add column provider_id text,
  add column external_playback_url text,
  add column file_path text,
  add column file_content_type text,
  add column file_size bigint,
  add column file_sha256 text,
  add column plain_text text,
  add column author text,
  add column site text,
  add column language text,
  add column published text,
  add column description text,
  add column word_count integer,
  add column reading_minutes integer,
  add column page_count integer,
  -- The address of an image elsewhere, or the name of an asset.
  add column cover text,
  add column outline jsonb not null default '[]',
  -- The job that brings it on its way, or did. A job that finds another one here has nothing to do.
  add column job_id uuid,
  -- A failure is whole or absent, and exactly what failed has one.
  add constraint media_failure_whole check (
    num_nonnulls(failure_stage, last_error_code, last_error_message, failed_at)
      = case when processing_status = 'failed' then 4 else 0 end
  );

create unique index media_canonical_url_key on media (kind, canonical_url) where canonical_url is not null;
create unique index media_file_key on media (created_by_user_id, kind, file_sha256) where file_sha256 is not null;
create index media_file_path_idx on media (file_path) where file_path is not null;
-- What a sweep looks at: the few that are on their way.
create index media_under_way_idx on media (id) where processing_status in ('pending', 'extracting', 'embedding');

-- Every job that was queued for a media, so that its attempts can be told.
create table media_jobs (
  media_id uuid not null references media (id) on delete cascade,
  job_id uuid not null,
  primary key (media_id, job_id)
);

-- What is read: an article, a chapter, a page, a passage of a transcript. Never changed once it is there.
create table media_fragments (
  id uuid primary key,
  media_id uuid not null references media (id) on delete cascade,
  idx integer not null,
  title text,
  html_sanitized text not null,
  canonical_text text not null,
  t_start_ms integer,
  t_end_ms integer,
  constraint media_fragments_in_order unique (media_id, idx)
);

-- Images of a book.
create table media_assets (
  media_id uuid not null references media (id) on delete cascade,
  name text not null,
  content_type text not null,
  path text not null,
  primary key (media_id, name)
);

create index media_assets_path_idx on media_assets (path);

-- Full text in pieces, because a document of PostgreSQL's holds a megabyte.
create table media_search (
  media_id uuid not null references media (id) on delete cascade,
  idx integer not null,
  document tsvector not null,
  primary key (media_id, idx)
);

create index media_search_document_idx on media_search using gin (document);

-- Images of pages, kept by their content.
create table images (
  url_sha256 text primary key,
  content_sha256 text not null,
  content_type text not null,
  created_at timestamptz not null default now()
);

create index images_path_idx on images (('images/' || content_sha256));

-- Keys that this installation made for itself.
create table installation_secrets (
  name text primary key,
  value bytea not null
);
