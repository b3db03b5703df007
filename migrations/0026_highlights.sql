-- A marked passage of a media, with an optional note. While it is placed, `fragment_id` is set, and the characters from
-- `start_offset` to `end_offset` of that fragment's canonical text, in UTF-16 code units, are `exact`. When the text is
-- extracted anew, the passage is looked for by its quote; until it is found, `fragment_id` is null. `lost_at` is set when it
-- was not found.
create table highlights (
  id uuid primary key,
  media_id uuid not null references media on delete cascade,
  user_id uuid not null references users on delete cascade,
  fragment_id uuid references media_fragments on delete set null,
  fragment_idx integer not null,
  start_offset integer not null,
  end_offset integer not null,
  exact text not null,
  prefix text not null,
  suffix text not null,
  pdf jsonb,
  color text not null,
  note text,
  lost_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint highlights_range check (start_offset >= 0 and end_offset > start_offset),
  constraint highlights_lost_or_placed check (fragment_id is null or lost_at is null),
  constraint highlights_color_known check (color in ('yellow', 'green', 'blue', 'pink', 'purple')),
  constraint highlights_shared_key unique (id, user_id, media_id)
);
create index highlights_media_idx on highlights (media_id, fragment_idx, start_offset, id);
create index highlights_user_idx on highlights (user_id, id);
create index highlights_noted_idx on highlights (user_id, id) where note is not null;
create index highlights_fragment_idx on highlights (fragment_id);
create index highlights_unplaced_idx on highlights (media_id, id) where fragment_id is null;
create index highlights_unsought_idx on highlights (media_id) where fragment_id is null and lost_at is null;
create index highlights_search_idx on highlights using gin (search_document(exact || ' ' || coalesce(note, '')));

-- A highlight that is shared with a library. It is seen while the library contains the media. The row is gone as soon as its
-- author is no longer a member of the library, however requests interleave: that is what the key is for.
create table highlight_shares (
  highlight_id uuid not null,
  library_id uuid not null,
  user_id uuid not null,
  media_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (highlight_id, library_id),
  constraint highlight_shares_highlight foreign key (highlight_id, user_id, media_id)
    references highlights (id, user_id, media_id) on delete cascade on update cascade,
  constraint highlight_shares_author_is_member foreign key (library_id, user_id)
    references memberships (library_id, user_id) on delete cascade
);
create index highlight_shares_library_idx on highlight_shares (library_id, highlight_id);
create index highlight_shares_member_idx on highlight_shares (library_id, user_id);

create table highlight_replies (
  id uuid primary key,
  highlight_id uuid not null references highlights on delete cascade,
  user_id uuid not null references users on delete cascade,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index highlight_replies_highlight_idx on highlight_replies (highlight_id, id);
create index highlight_replies_user_idx on highlight_replies (user_id);

-- People whom a reply mentions by name.
create table highlight_mentions (
  reply_id uuid not null references highlight_replies on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (reply_id, user_id)
);
create index highlight_mentions_user_idx on highlight_mentions (user_id);

-- When somebody last looked at a highlight of somebody else, or at its replies.
create table highlight_views (
  user_id uuid not null references users on delete cascade,
  highlight_id uuid not null references highlights on delete cascade,
  seen_at timestamptz not null,
  primary key (user_id, highlight_id)
);
create index highlight_views_highlight_idx on highlight_views (highlight_id);
