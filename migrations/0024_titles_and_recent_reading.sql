-- When its saver edited the title. From then on, extraction does not overwrite it.
alter table media add column title_edited_at timestamptz;

-- The media that somebody has read most recently, for `sort=read`.
create index media_readings_recent_idx on media_readings (user_id, updated_at, media_id);
