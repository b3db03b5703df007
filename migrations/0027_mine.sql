-- What a person keeps for themselves about a media: nobody else sees it. It stays when they lose access to the media, and
-- is there again when they get it back.
create table media_mine (
  user_id uuid not null references users on delete cascade,
  media_id uuid not null references media on delete cascade,
  is_favourite boolean not null default false,
  archived_at timestamptz,
  title text,
  note text,
  updated_at timestamptz not null default now(),
  primary key (user_id, media_id),
  constraint media_mine_title_length check (char_length(title) between 1 and 500)
);
create index media_mine_media_id_idx on media_mine (media_id);
create index media_mine_favourite_idx on media_mine (user_id, media_id) where is_favourite;
create index media_mine_archived_idx on media_mine (user_id, media_id) where archived_at is not null;

-- A person's own tags. `/` in a name nests: `cooking/bread` is below `cooking`.
create table tags (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 64)
);
create unique index tags_name_key on tags (user_id, lower(name) text_pattern_ops);

-- `added_by` says why the tag is there: the person chose it, it came with an import, or a rule added it.
create table media_tags (
  tag_id uuid not null references tags on delete cascade,
  media_id uuid not null references media on delete cascade,
  user_id uuid not null,
  added_by text not null default 'person',
  created_at timestamptz not null default now(),
  primary key (tag_id, media_id),
  constraint media_tags_added_by_known check (added_by in ('person', 'import', 'rule'))
);
create index media_tags_media_idx on media_tags (media_id, user_id);
