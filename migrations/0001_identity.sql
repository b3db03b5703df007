-- People, their keys, and the default library that comes with every person.

create table users (
  id uuid primary key,
  username text not null
    constraint users_username_form check (username ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$'),
  display_name text not null
    constraint users_display_name_length check (char_length(display_name) between 1 and 200),
  role text not null default 'researcher'
    constraint users_role_known check (role in ('viewer', 'operator', 'researcher', 'admin')),
  password_hash text,
  -- Not null: a person without a default library cannot exist. At most one is held by the index on libraries below.
  default_library_id uuid not null,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Usernames are ASCII by the check above, so lower() folds them the same way in every locale.
create unique index users_username_key on users (lower(username));

-- For the guard that keeps the last admin.
create index users_enabled_admins on users (id) where role = 'admin' and disabled_at is null;

create table libraries (
  id uuid primary key,
  name text not null
    constraint libraries_name_length check (char_length(name) between 1 and 100),
  owner_user_id uuid not null references users (id),
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Lets users point at a library that is their own, and at no other.
  constraint libraries_id_owner_key unique (id, owner_user_id)
);

create unique index libraries_one_default_per_owner on libraries (owner_user_id) where is_default;
create index libraries_owner_user_id_idx on libraries (owner_user_id);

-- Deferred: the user and the library name each other, and are inserted in one transaction.
alter table users
  add constraint users_default_library_own
  foreign key (default_library_id, id) references libraries (id, owner_user_id)
  deferrable initially deferred;

create table memberships (
  library_id uuid not null references libraries (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null
    constraint memberships_role_known check (role in ('admin', 'member')),
  created_at timestamptz not null default now(),
  primary key (library_id, user_id)
);

create index memberships_user_id_idx on memberships (user_id);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null
    constraint api_keys_name_length check (char_length(name) between 1 and 100),
  -- SHA-256 of the key. The key itself has 256 random bits and is stored nowhere.
  key_hash bytea not null
    constraint api_keys_key_hash_key unique
    constraint api_keys_key_hash_length check (octet_length(key_hash) = 32),
  prefix text not null,
  role text not null
    constraint api_keys_role_known check (role in ('viewer', 'operator', 'researcher', 'admin')),
  enabled boolean not null default true,
  raw_mode_enabled boolean not null default false,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

create index api_keys_user_id_idx on api_keys (user_id);
