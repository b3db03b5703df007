-- What lists are filtered and counted by, beside what they list.

-- Kind and site of a media that is ready, which nothing changes any more; null until then, and in rows of default
-- libraries, which are many. So a library of 200,000 media is counted along one index, and only the few that are on
-- their way, or have failed, are looked up one by one. Whoever lists a media while it becomes ready may leave null
-- behind: it is looked up like the others, and counted right all the same.
alter table library_media
  add column ready_kind text,
  add column ready_site text,
  add constraint library_media_ready_whole check (ready_kind is not null or ready_site is null);
alter table default_library_intrinsics
  add column ready_kind text,
  add column ready_site text,
  add constraint default_library_intrinsics_ready_whole check (ready_kind is not null or ready_site is null);

update library_media as listed
set ready_kind = media.kind, ready_site = media.site
from media
where media.id = listed.media_id and media.processing_status = 'ready' and not listed.is_derived;
update default_library_intrinsics as saved
set ready_kind = media.kind, ready_site = media.site
from media
where media.id = saved.media_id and media.processing_status = 'ready';

create index library_media_facts_idx on library_media (library_id, ready_site, ready_kind, media_id)
  where not is_derived;
create index default_library_intrinsics_facts_idx
  on default_library_intrinsics (default_library_id, ready_site, ready_kind, media_id);

-- The few that are looked up are found without their rows, which are wide.
create index media_facts_idx on media (id) include (kind, processing_status, site);
-- Rows of default libraries have no kind: without this, the planner takes large libraries for small ones.
create statistics library_media_facts (mcv) on library_id, is_derived, ready_kind from library_media;

-- Whoever writes the media: what lists say of it must not come apart from it.
create function note_ready_media() returns trigger
  language plpgsql as $$
declare
  is_ready constant boolean = new.processing_status = 'ready';
begin
  update library_media
  set ready_kind = case when is_ready then new.kind end, ready_site = case when is_ready then new.site end
  where media_id = new.id and not is_derived;
  update default_library_intrinsics
  set ready_kind = case when is_ready then new.kind end, ready_site = case when is_ready then new.site end
  where media_id = new.id;
  return null;
end $$;

create trigger media_ready_noted
  after update of kind, site, processing_status on media
  for each row
  when (
    (old.processing_status = 'ready' or new.processing_status = 'ready')
    and (old.kind, old.site, old.processing_status) is distinct from (new.kind, new.site, new.processing_status)
  )
  execute function note_ready_media();
