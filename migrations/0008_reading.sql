-- How far people have read, and what lists and search need to be quick.

-- No row: unread. With finished_at: finished. Otherwise: being read.
create table media_readings (
  user_id uuid not null references users (id) on delete cascade,
  media_id uuid not null references media (id) on delete cascade,
  progress double precision not null
    constraint media_readings_progress_range check (progress between 0 and 1),
  -- Where exactly, in the reader's own terms.
  position jsonb,
  finished_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (user_id, media_id)
);

create index media_readings_media_id_idx on media_readings (media_id);

-- What lists are sorted by: a library that holds much of all there is walks along one of these, and a small one is
-- sorted. What is not known comes last in either direction, which takes an index for each. A title may be longer than an
-- entry of an index; two that begin with the same 200 characters are sorted by id.
create index media_title_idx on media (left(lower(title), 200), id);
create index media_published_asc_idx on media ((coalesce(published, '~') collate "C"), id);
create index media_published_desc_idx on media ((coalesce(published, '') collate "C"), id);
create index media_length_asc_idx on media (coalesce(word_count, 2147483647), id);
create index media_length_desc_idx on media (coalesce(word_count, -1), id);

-- People by the beginning of their name, whatever the collation.
create index users_username_prefix_idx on users (lower(username) text_pattern_ops) where disabled_at is null;
create index users_display_name_prefix_idx on users (lower(display_name) text_pattern_ops) where disabled_at is null;

-- Text as it is searched, the same when it is written and when it is asked for: lower case, without accents, and with the
-- characters of scripts that put no spaces between words standing alone, so that any of their words is found as a phrase.
create function search_form(given text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(
    normalize(regexp_replace(normalize(lower(given), nfkd), '[\u0300-\u036f]', '', 'g'), nfc),
    '([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])', ' \1 ', 'g'
  );

-- Nothing but words: PostgreSQL would take an address for one word, and what looks like a tag for none.
create function search_document(given text) returns tsvector
  language sql immutable strict parallel safe
  return to_tsvector('simple'::regconfig, regexp_replace(search_form(given), '[!-/:-@\[-`{-~]+', ' ', 'g'));

-- Titles by themselves: what is called so is found even where ten thousand others mention it.
create index media_title_search_idx on media using gin (search_document(title));
