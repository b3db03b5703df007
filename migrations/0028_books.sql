-- How a book is read: the direction in which its pages turn, and its landmarks.
alter table media add column book jsonb;

-- `layout` is null for horizontal text that flows. `printed_pages` are the pages of the printed edition that begin in a
-- fragment; null when there are none.
alter table media_fragments
  add column layout jsonb,
  add column printed_pages jsonb;
