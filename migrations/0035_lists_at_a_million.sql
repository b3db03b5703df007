-- Search finds a person's own titles by index. Without it, every own title is parsed for every search. The id of the person is
-- one of the words.
create index media_mine_title_search_idx on media_mine
  using gin ((search_document(title) || array_to_tsvector(array[user_id::text]))) where title is not null;

-- Filters of a person's highlights that may be true of few of very many.
create index highlights_color_idx on highlights (user_id, color, id);
create index highlights_own_unplaced_idx on highlights (user_id, id) where fragment_id is null;
