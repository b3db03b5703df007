-- Written by `npm run schema` from the migrations. Do not edit.

create table api_keys (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  key_hash bytea not null,
  prefix text not null,
  role text not null,
  enabled boolean default true not null,
  raw_mode_enabled boolean default false not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint api_keys_key_hash_length CHECK ((octet_length(key_hash) = 32)),
  constraint api_keys_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint api_keys_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'researcher'::text, 'admin'::text])))
);
CREATE INDEX api_keys_user_id_idx ON public.api_keys USING btree (user_id);

create table audit_logs (
  id uuid not null,
  action text not null,
  mode text default 'PUBLIC'::text not null,
  actor text default 'system'::text not null,
  details jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint audit_logs_pkey PRIMARY KEY (id),
  constraint audit_logs_mode_known CHECK ((mode = ANY (ARRAY['PUBLIC'::text, 'RAW'::text])))
);
CREATE INDEX audit_logs_action_idx ON public.audit_logs USING btree (action, created_at, id);
CREATE INDEX audit_logs_actor_idx ON public.audit_logs USING btree (actor, created_at, id);
CREATE INDEX audit_logs_time_idx ON public.audit_logs USING btree (created_at, id);

create table libraries (
  id uuid not null,
  name text not null,
  owner_user_id uuid not null,
  is_default boolean default false not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint libraries_pkey PRIMARY KEY (id),
  constraint libraries_id_owner_key UNIQUE (id, owner_user_id),
  constraint libraries_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id),
  constraint libraries_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
CREATE UNIQUE INDEX libraries_one_default_per_owner ON public.libraries USING btree (owner_user_id) WHERE is_default;
CREATE INDEX libraries_owner_user_id_idx ON public.libraries USING btree (owner_user_id);

create table memberships (
  library_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint memberships_pkey PRIMARY KEY (library_id, user_id),
  constraint memberships_library_id_fkey FOREIGN KEY (library_id) REFERENCES libraries(id) ON DELETE CASCADE,
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint memberships_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE INDEX memberships_user_id_idx ON public.memberships USING btree (user_id);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table users (
  id uuid not null,
  username text not null,
  display_name text not null,
  role text default 'researcher'::text not null,
  password_hash text,
  default_library_id uuid not null,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_default_library_own FOREIGN KEY (default_library_id, id) REFERENCES libraries(id, owner_user_id) DEFERRABLE INITIALLY DEFERRED,
  constraint users_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 200))),
  constraint users_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'researcher'::text, 'admin'::text]))),
  constraint users_username_form CHECK ((username ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$'::text))
);
CREATE INDEX users_enabled_admins ON public.users USING btree (id) WHERE ((role = 'admin'::text) AND (disabled_at IS NULL));
CREATE UNIQUE INDEX users_username_key ON public.users USING btree (lower(username));
