-- The words of somebody's text, and the person as one more word, which begins with a space, as no word of a text does. An index
-- of them finds what one person wrote, however many others use the same words.
create function personal_document(user_id uuid, given text) returns tsvector
  language sql immutable strict parallel safe
  return search_document(given) || array_to_tsvector(array[' ' || user_id::text]);

create function personal_query(user_id uuid, words tsquery) returns tsquery
  language sql immutable strict parallel safe
  return case when numnode(words) = 0 then words else words && quote_literal(' ' || user_id::text)::tsquery end;

create index media_mine_title_search_idx on media_mine
  using gin (personal_document(user_id, title)) where title is not null;

drop index highlights_search_idx;
create index highlights_search_idx on highlights
  using gin (personal_document(user_id, exact || ' ' || coalesce(note, '')));

-- Filters of a person's highlights that may be true of few of very many.
create index highlights_color_idx on highlights (user_id, color, id);
create index highlights_own_unplaced_idx on highlights (user_id, id) where fragment_id is null;

-- The check whether a library contains a media reads this index alone.
drop index library_media_shared_idx;
create index library_media_shared_idx on library_media (media_id, library_id) where not is_derived;
