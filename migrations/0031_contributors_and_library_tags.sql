-- A contributor adds media to a library, and removes what they added themselves. `member` is the role of those who only
-- read; the app calls it Reader.
alter table memberships
  drop constraint memberships_role_known,
  add constraint memberships_role_known check (role in ('admin', 'contributor', 'member'));

alter table library_invitations
  drop constraint library_invitations_role_known,
  add constraint library_invitations_role_known check (role in ('admin', 'contributor', 'member'));

-- The tags that a shared library gives its media: its members see them, and those who may add to the library set them. They
-- go when the media is removed from the library.
create table library_media_tags (
  library_id uuid not null references libraries on delete cascade,
  media_id uuid not null references media on delete cascade,
  name text not null,
  constraint library_media_tags_name_length check (char_length(name) between 1 and 64)
);
create unique index library_media_tags_key on library_media_tags (library_id, media_id, lower(name));
create index library_media_tags_name_idx on library_media_tags (library_id, lower(name) text_pattern_ops, media_id);
create index library_media_tags_media_id_idx on library_media_tags (media_id);
