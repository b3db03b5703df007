-- What people make Nexus store, and how much of it each of them may.

-- Null: what NEXUS_STORAGE_QUOTA_MB says. 0: as much as they like.
alter table users
  add column storage_quota_mb integer
    constraint users_storage_quota_range check (storage_quota_mb between 0 and 100000000);

-- Every media is charged to one person: whoever made Nexus store it, or, once they have let go of it, somebody who holds it.
alter table media
  add column charged_user_id uuid references users (id),
  -- The file, the extracted text and assets, and the images that were fetched for it. While a file is being uploaded: the
  -- size that was announced.
  add column stored_bytes bigint not null default 0
    constraint media_stored_bytes_range check (stored_bytes >= 0);

-- The sizes of assets were not kept by earlier releases; they count for nothing.
update media
set charged_user_id = created_by_user_id,
    stored_bytes = coalesce(file_size, 0) + coalesce(octet_length(plain_text), 0) + coalesce(
      (
        select sum(octet_length(html_sanitized) + octet_length(canonical_text))
        from media_fragments
        where media_fragments.media_id = media.id
      ),
      0
    );

alter table media alter column charged_user_id set not null;

-- Sums, so that nobody's library is added up when they save something. Written by the triggers alone.
create table storage_usage (
  user_id uuid primary key references users (id) on delete cascade,
  bytes bigint not null
);

insert into storage_usage (user_id, bytes)
select charged_user_id, sum(stored_bytes) from media group by charged_user_id;

create function charge_creator() returns trigger
  language plpgsql as $$
begin
  new.charged_user_id = coalesce(new.charged_user_id, new.created_by_user_id);
  return new;
end $$;

create trigger media_charged_to_creator
  before insert on media
  for each row
  execute function charge_creator();

create function charge_storage() returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.stored_bytes <> 0 then
    update storage_usage set bytes = bytes - old.stored_bytes where user_id = old.charged_user_id;
  end if;
  if tg_op <> 'DELETE' and new.stored_bytes <> 0 then
    insert into storage_usage (user_id, bytes)
    values (new.charged_user_id, new.stored_bytes)
    on conflict (user_id) do update set bytes = storage_usage.bytes + excluded.bytes;
  end if;
  return null;
end $$;

create trigger media_storage_charged
  after insert or delete or update of stored_bytes, charged_user_id on media
  for each row
  execute function charge_storage();

-- Which images of pages a media shows, by the hash of the address as its HTML has it. An image is kept while a media
-- refers to it.
create table media_images (
  media_id uuid not null references media (id) on delete cascade,
  url_sha256 text not null,
  primary key (media_id, url_sha256)
);

create index media_images_url_idx on media_images (url_sha256);

insert into media_images (media_id, url_sha256)
select distinct media_id, encode(sha256(convert_to(found[1], 'UTF8')), 'hex')
from media_fragments
cross join lateral regexp_matches(html_sanitized, '/media/images\?url=([^"&]+)', 'g') as found
union
select
  media.id,
  encode(
    sha256(
      convert_to(
        (
          select string_agg(
            case
              when byte < 128 and chr(byte) ~ '[A-Za-z0-9_.!~*''()-]' then chr(byte)
              else '%' || upper(lpad(to_hex(byte), 2, '0'))
            end,
            '' order by place
          )
          from generate_series(0, octet_length(media.cover) - 1) as place
          cross join lateral (select get_byte(convert_to(media.cover, 'UTF8'), place) as byte) as octet
        ),
        'UTF8'
      )
    ),
    'hex'
  )
from media
where media.cover ~ '^https?:';

-- Images are fetched again when they are next shown. The files of those that were here are deleted by the daily sweep.
delete from images;
alter table images add column size bigint not null;
