-- A link belongs to the person who saved it. The media is shared by its canonical address; what one saver typed, when
-- they saved it and who else did are not.

-- The address as its saver typed it. It lies beside the reason that they hold the media, so that it goes with it.
alter table default_library_intrinsics add column requested_url text;
update default_library_intrinsics as saved
set requested_url = media.requested_url
from media
join users on users.id = media.created_by_user_id
where saved.media_id = media.id
  and saved.default_library_id = users.default_library_id
  and media.requested_url is not null;
alter table media drop column requested_url;

-- A row of a default library names nobody: its owner saved it, or a shared library that lists it says who added it.
update library_media
set added_by_user_id = null
where is_derived and added_by_user_id is not null;
alter table library_media
  add constraint library_media_derived_by_nobody check (not is_derived or added_by_user_id is null);

-- It is dated by the reasons that hold now: when its owner saved it, or when it first came through one of their libraries.
update library_media as derived
set created_at = came.at
from library_media as listed
join libraries as home on home.id = listed.library_id and home.is_default
cross join lateral (
  select coalesce(
    (
      select saved.created_at
      from default_library_intrinsics as saved
      where saved.default_library_id = home.id and saved.media_id = listed.media_id
    ),
    (
      select min(greatest(source.created_at, joined.created_at))
      from default_library_closure_edges as edge
      join library_media as source on source.library_id = edge.source_library_id and source.media_id = edge.media_id
      join memberships as joined
        on joined.library_id = edge.source_library_id and joined.user_id = home.owner_user_id
      where edge.default_library_id = home.id and edge.media_id = listed.media_id
    )
  ) as at
) as came
where derived.library_id = listed.library_id
  and derived.media_id = listed.media_id
  and derived.created_at <> came.at;

-- Uploading a file twice gives one media. A file that was found at an address belongs to the address: two addresses, or an
-- address and an upload, must not become one media because their files are equal.
drop index media_file_key;
create unique index media_file_key on media (created_by_user_id, kind, file_sha256)
  where file_sha256 is not null and canonical_url is null;
-- Whether somebody has a file already, by whichever way it came to them.
create index media_file_sha256_idx on media (file_sha256) where file_sha256 is not null;

-- Who can read a media hears that it is ready or has failed, but not who saved it first, or with which request.
update outbox_event
set payload = payload - 'created_by_user_id', schema_version = 2, request_id = null
where event_type in ('media.ready', 'media.failed', 'media.deleted');
