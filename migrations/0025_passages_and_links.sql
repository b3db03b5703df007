-- Passages of a search are found by their offset in the whole text, which PostgreSQL counts in characters.
-- `text_length` counts UTF-16 code units, as programs in a browser do.
alter table media_fragments
  add column characters integer not null
  generated always as (char_length(canonical_text)) stored;

-- A page with hardly any text: its title, description and picture are kept, and the page itself is opened elsewhere.
alter table media add column is_link boolean not null default false;
