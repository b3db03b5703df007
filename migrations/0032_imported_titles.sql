-- The title that another program had for a link. It is shown while the page has none: before it is read, if it cannot be
-- read, and if it names no title of its own.
alter table media_mine
  add column imported_title text,
  add constraint media_mine_imported_title_length check (char_length(imported_title) between 1 and 500);
