-- The hash in the names of the two assets that show a media in lists; null when its cover is shown as it is.
-- A thumbnail is asked for once, when the cover is known; the time says that it was.
alter table media
  add column thumbnail text,
  add column thumbnail_asked_at timestamptz;

-- The media of earlier releases, and those that failed but have a cover.
create index media_thumbnail_missing_idx on media (id)
  where thumbnail_asked_at is null and (cover is not null or (kind = 'pdf' and file_path is not null));
