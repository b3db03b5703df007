-- A person's saved searches. `query` is in the search language; it is parsed anew whenever it is carried out.
create table saved_searches (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  query text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint saved_searches_name_length check (char_length(name) between 1 and 100),
  constraint saved_searches_query_length check (char_length(query) between 1 and 1000)
);
create index saved_searches_user_id_idx on saved_searches (user_id, id);

-- Search finds media by the titles that people gave them, and by whether they have a note.
create index media_mine_titled_idx on media_mine (user_id, media_id) where title is not null;
create index media_mine_noted_idx on media_mine (user_id, media_id) where note is not null;
-- Which media a person has highlighted.
create index highlights_user_media_idx on highlights (user_id, media_id);
