-- Written by `npm run schema` from the migrations. Do not edit.

create table analysis_layers (
  run_id uuid not null,
  layer text not null,
  idx smallint not null,
  output jsonb not null,
  confidence double precision not null,
  provider_name text not null,
  provider_version text not null,
  runtime_ms integer not null,
  fallback_reason text,
  constraint analysis_layers_pkey PRIMARY KEY (run_id, layer),
  constraint analysis_layers_run_id_fkey FOREIGN KEY (run_id) REFERENCES analysis_runs(id) ON DELETE CASCADE,
  constraint analysis_layers_confidence_range CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)))
);

create table analysis_runs (
  id uuid not null,
  document_id uuid not null,
  job_id uuid not null,
  mode text not null,
  plugin_profile text not null,
  shadow_of uuid,
  language text not null,
  word_count integer not null,
  text_sha256 text not null,
  confidence double precision not null,
  runtime_ms integer not null,
  created_by text not null,
  created_by_user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint analysis_runs_pkey PRIMARY KEY (id),
  constraint analysis_runs_one_of_a_job UNIQUE (job_id),
  constraint analysis_runs_one_shadow UNIQUE (shadow_of),
  constraint analysis_runs_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id),
  constraint analysis_runs_document_id_fkey FOREIGN KEY (document_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint analysis_runs_shadow_of_fkey FOREIGN KEY (shadow_of) REFERENCES analysis_runs(id) ON DELETE CASCADE,
  constraint analysis_runs_confidence_range CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
  constraint analysis_runs_mode_known CHECK ((mode = ANY (ARRAY['PUBLIC'::text, 'RAW'::text]))),
  constraint analysis_runs_plugin_profile_known CHECK ((plugin_profile = ANY (ARRAY['deterministic'::text, 'ml_first'::text, 'ml_only'::text])))
);
CREATE INDEX analysis_runs_document_idx ON public.analysis_runs USING btree (document_id, id);

create table analysis_shadows (
  run_id uuid not null,
  job_id uuid not null,
  constraint analysis_shadows_pkey PRIMARY KEY (run_id),
  constraint analysis_shadows_run_id_fkey FOREIGN KEY (run_id) REFERENCES analysis_runs(id) ON DELETE CASCADE
);

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
  requests_per_minute integer,
  scopes text[],
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint api_keys_key_hash_length CHECK ((octet_length(key_hash) = 32)),
  constraint api_keys_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint api_keys_requests_per_minute_range CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 1000000))),
  constraint api_keys_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'researcher'::text, 'admin'::text]))),
  constraint api_keys_scopes_known CHECK (((scopes <@ ARRAY['read'::text, 'write'::text, 'operate'::text, 'admin'::text]) AND (scopes && ARRAY['read'::text, 'write'::text])))
);
CREATE INDEX api_keys_user_id_idx ON public.api_keys USING btree (user_id);

create table audit_logs (
  id uuid not null,
  action text not null,
  mode text default 'PUBLIC'::text not null,
  actor text default 'system'::text not null,
  details jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  repeat_key text,
  constraint audit_logs_pkey PRIMARY KEY (id),
  constraint audit_logs_mode_known CHECK ((mode = ANY (ARRAY['PUBLIC'::text, 'RAW'::text])))
);
CREATE INDEX audit_logs_action_idx ON public.audit_logs USING btree (action, created_at, id);
CREATE INDEX audit_logs_actor_idx ON public.audit_logs USING btree (actor, created_at, id);
CREATE UNIQUE INDEX audit_logs_repeat_key ON public.audit_logs USING btree (repeat_key) WHERE (repeat_key IS NOT NULL);
CREATE INDEX audit_logs_time_idx ON public.audit_logs USING btree (created_at, id);

create table branch_events (
  branch_id uuid not null,
  "position" integer not null,
  kind text not null,
  at integer,
  length integer,
  text text,
  form text,
  text_hash text not null,
  text_length integer not null,
  created_by_user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint branch_events_pkey PRIMARY KEY (branch_id, "position"),
  constraint branch_events_branch_id_fkey FOREIGN KEY (branch_id) REFERENCES branches(id) ON DELETE CASCADE,
  constraint branch_events_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id),
  constraint branch_events_fit_their_kind CHECK (
CASE kind
    WHEN 'insert'::text THEN ((at >= 0) AND (length IS NULL) AND (text IS NOT NULL) AND (form IS NULL))
    WHEN 'delete'::text THEN ((at >= 0) AND (length >= 1) AND (text IS NULL) AND (form IS NULL))
    WHEN 'replace'::text THEN ((at >= 0) AND (length >= 1) AND (text IS NOT NULL) AND (form IS NULL))
    WHEN 'normalize'::text THEN ((at IS NULL) AND (length IS NULL) AND (text IS NULL) AND (form = ANY (ARRAY['NFC'::text, 'NFD'::text, 'NFKC'::text, 'NFKD'::text])))
    ELSE false
END),
  constraint branch_events_position_from_one CHECK (("position" >= 1))
);

create table branch_snapshots (
  branch_id uuid not null,
  "position" integer not null,
  text text not null,
  constraint branch_snapshots_pkey PRIMARY KEY (branch_id, "position"),
  constraint branch_snapshots_branch_id_fkey FOREIGN KEY (branch_id) REFERENCES branches(id) ON DELETE CASCADE
);

create table branches (
  id uuid not null,
  media_id uuid not null,
  name text not null,
  parent_branch_id uuid,
  parent_position integer,
  base_hash text not null,
  base_length integer not null,
  event_count integer default 0 not null,
  text_hash text not null,
  text_length integer not null,
  created_by_user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint branches_pkey PRIMARY KEY (id),
  constraint branches_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id),
  constraint branches_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint branches_parent_branch_id_fkey FOREIGN KEY (parent_branch_id) REFERENCES branches(id),
  constraint branches_event_count_range CHECK ((event_count >= 0)),
  constraint branches_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint branches_parent_whole CHECK ((num_nonnulls(parent_branch_id, parent_position) = ANY (ARRAY[0, 2])))
);
CREATE INDEX branches_media_id_idx ON public.branches USING btree (media_id, id);
CREATE INDEX branches_parent_idx ON public.branches USING btree (parent_branch_id) WHERE (parent_branch_id IS NOT NULL);

create table default_library_backfill_jobs (
  default_library_id uuid not null,
  source_library_id uuid not null,
  user_id uuid not null,
  status text default 'pending'::text not null,
  attempts smallint default 0 not null,
  last_error_code text,
  due_at timestamp with time zone default now() not null,
  job_id uuid,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  finished_at timestamp with time zone,
  constraint default_library_backfill_jobs_pkey PRIMARY KEY (default_library_id, source_library_id, user_id),
  constraint default_library_backfill_jobs_own_library FOREIGN KEY (default_library_id, user_id) REFERENCES libraries(id, owner_user_id) ON DELETE CASCADE,
  constraint default_library_backfill_jobs_source_library_id_fkey FOREIGN KEY (source_library_id) REFERENCES libraries(id) ON DELETE CASCADE,
  constraint default_library_backfill_jobs_attempts_range CHECK (((attempts >= 0) AND (attempts <= 5))),
  constraint default_library_backfill_jobs_end_dated CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text])) = (finished_at IS NOT NULL))),
  constraint default_library_backfill_jobs_error_named CHECK (((status = 'failed'::text) = (last_error_code IS NOT NULL))),
  constraint default_library_backfill_jobs_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX default_library_backfill_jobs_list_idx ON public.default_library_backfill_jobs USING btree (created_at, default_library_id, source_library_id);
CREATE INDEX default_library_backfill_jobs_open_idx ON public.default_library_backfill_jobs USING btree (status, created_at, default_library_id, source_library_id) WHERE (status <> 'completed'::text);
CREATE INDEX default_library_backfill_jobs_source_idx ON public.default_library_backfill_jobs USING btree (source_library_id);

create table default_library_closure_edges (
  default_library_id uuid not null,
  media_id uuid not null,
  source_library_id uuid not null,
  constraint default_library_closure_edges_pkey PRIMARY KEY (default_library_id, media_id, source_library_id)
);

create table default_library_intrinsics (
  default_library_id uuid not null,
  media_id uuid not null,
  created_at timestamp with time zone default now() not null,
  ready_kind text,
  ready_site text,
  requested_url text,
  constraint default_library_intrinsics_pkey PRIMARY KEY (default_library_id, media_id),
  constraint default_library_intrinsics_ready_whole CHECK (((ready_kind IS NOT NULL) OR (ready_site IS NULL)))
);
CREATE INDEX default_library_intrinsics_facts_idx ON public.default_library_intrinsics USING btree (default_library_id, ready_site, ready_kind, media_id);
CREATE INDEX default_library_intrinsics_media_id_idx ON public.default_library_intrinsics USING btree (media_id);

create table document_entities (
  media_id uuid not null,
  kind text not null,
  entity text not null,
  name text not null,
  mentions integer not null,
  constraint document_entities_pkey PRIMARY KEY (media_id, kind, entity),
  constraint document_entities_media_id_fkey FOREIGN KEY (media_id) REFERENCES document_graph(media_id) ON DELETE CASCADE,
  constraint document_entities_mentioned CHECK ((mentions >= 1))
);
CREATE INDEX document_entities_entity_idx ON public.document_entities USING btree (entity, kind) INCLUDE (media_id, mentions);

create table document_graph (
  media_id uuid not null,
  projector text not null,
  projected_at timestamp with time zone default now() not null,
  fingerprint bytea,
  constraint document_graph_pkey PRIMARY KEY (media_id),
  constraint document_graph_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);

create table document_links (
  media_id uuid not null,
  canonical_url text not null,
  constraint document_links_pkey PRIMARY KEY (media_id, canonical_url),
  constraint document_links_media_id_fkey FOREIGN KEY (media_id) REFERENCES document_graph(media_id) ON DELETE CASCADE,
  constraint document_links_canonical_url_length CHECK ((octet_length(canonical_url) <= 2048))
);
CREATE INDEX document_links_canonical_url_idx ON public.document_links USING btree (canonical_url, media_id);

create table former_usernames (
  username text not null,
  user_id uuid not null,
  constraint former_usernames_pkey PRIMARY KEY (username),
  constraint former_usernames_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint former_usernames_folded CHECK ((username = lower(username)))
);
CREATE INDEX former_usernames_user_id_idx ON public.former_usernames USING btree (user_id);

create table governance_policies (
  id uuid not null,
  name text not null,
  mode text not null,
  action text not null,
  terms text[] default '{}'::text[] not null,
  patterns text[] default '{}'::text[] not null,
  is_enabled boolean default true not null,
  source text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint governance_policies_pkey PRIMARY KEY (id),
  constraint governance_policies_action_known CHECK ((action = ANY (ARRAY['block'::text, 'redact'::text]))),
  constraint governance_policies_mode_known CHECK ((mode = ANY (ARRAY['PUBLIC'::text, 'RAW'::text]))),
  constraint governance_policies_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint governance_policies_source_known CHECK ((source = ANY (ARRAY['configuration'::text, 'api'::text])))
);
CREATE UNIQUE INDEX governance_policies_configured_key ON public.governance_policies USING btree (source) WHERE (source = 'configuration'::text);
CREATE UNIQUE INDEX governance_policies_name_key ON public.governance_policies USING btree (lower(name));

create table highlight_mentions (
  reply_id uuid not null,
  user_id uuid not null,
  constraint highlight_mentions_pkey PRIMARY KEY (reply_id, user_id),
  constraint highlight_mentions_reply_id_fkey FOREIGN KEY (reply_id) REFERENCES highlight_replies(id) ON DELETE CASCADE,
  constraint highlight_mentions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX highlight_mentions_user_idx ON public.highlight_mentions USING btree (user_id);

create table highlight_replies (
  id uuid not null,
  highlight_id uuid not null,
  user_id uuid not null,
  body text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint highlight_replies_pkey PRIMARY KEY (id),
  constraint highlight_replies_highlight_id_fkey FOREIGN KEY (highlight_id) REFERENCES highlights(id) ON DELETE CASCADE,
  constraint highlight_replies_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX highlight_replies_highlight_idx ON public.highlight_replies USING btree (highlight_id, id);
CREATE INDEX highlight_replies_user_idx ON public.highlight_replies USING btree (user_id);

create table highlight_shares (
  highlight_id uuid not null,
  library_id uuid not null,
  user_id uuid not null,
  media_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint highlight_shares_pkey PRIMARY KEY (highlight_id, library_id),
  constraint highlight_shares_author_is_member FOREIGN KEY (library_id, user_id) REFERENCES memberships(library_id, user_id) ON DELETE CASCADE,
  constraint highlight_shares_highlight FOREIGN KEY (highlight_id, user_id, media_id) REFERENCES highlights(id, user_id, media_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX highlight_shares_library_idx ON public.highlight_shares USING btree (library_id, highlight_id);
CREATE INDEX highlight_shares_member_idx ON public.highlight_shares USING btree (library_id, user_id);

create table highlight_views (
  user_id uuid not null,
  highlight_id uuid not null,
  seen_at timestamp with time zone not null,
  constraint highlight_views_pkey PRIMARY KEY (user_id, highlight_id),
  constraint highlight_views_highlight_id_fkey FOREIGN KEY (highlight_id) REFERENCES highlights(id) ON DELETE CASCADE,
  constraint highlight_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX highlight_views_highlight_idx ON public.highlight_views USING btree (highlight_id);

create table highlights (
  id uuid not null,
  media_id uuid not null,
  user_id uuid not null,
  fragment_id uuid,
  fragment_idx integer not null,
  start_offset integer not null,
  end_offset integer not null,
  exact text not null,
  prefix text not null,
  suffix text not null,
  pdf jsonb,
  color text not null,
  note text,
  lost_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  former_exact text,
  constraint highlights_pkey PRIMARY KEY (id),
  constraint highlights_shared_key UNIQUE (id, user_id, media_id),
  constraint highlights_fragment_id_fkey FOREIGN KEY (fragment_id) REFERENCES media_fragments(id) ON DELETE SET NULL,
  constraint highlights_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint highlights_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint highlights_color_known CHECK ((color = ANY (ARRAY['yellow'::text, 'green'::text, 'blue'::text, 'pink'::text, 'purple'::text]))),
  constraint highlights_lost_or_placed CHECK (((fragment_id IS NULL) OR (lost_at IS NULL))),
  constraint highlights_range CHECK (((start_offset >= 0) AND (end_offset > start_offset)))
);
CREATE INDEX highlights_color_idx ON public.highlights USING btree (user_id, color, id);
CREATE INDEX highlights_fragment_idx ON public.highlights USING btree (fragment_id);
CREATE INDEX highlights_media_idx ON public.highlights USING btree (media_id, fragment_idx, start_offset, id);
CREATE INDEX highlights_noted_idx ON public.highlights USING btree (user_id, id) WHERE (note IS NOT NULL);
CREATE INDEX highlights_own_unplaced_idx ON public.highlights USING btree (user_id, id) WHERE (fragment_id IS NULL);
CREATE INDEX highlights_search_idx ON public.highlights USING gin (personal_document(user_id, ((exact || ' '::text) || COALESCE(note, ''::text))));
CREATE INDEX highlights_unplaced_idx ON public.highlights USING btree (media_id, id) WHERE (fragment_id IS NULL);
CREATE INDEX highlights_unsought_idx ON public.highlights USING btree (media_id) WHERE ((fragment_id IS NULL) AND (lost_at IS NULL));
CREATE INDEX highlights_user_idx ON public.highlights USING btree (user_id, id);
CREATE INDEX highlights_user_media_idx ON public.highlights USING btree (user_id, media_id);

create table idempotent_requests (
  user_id uuid not null,
  key_hash bytea not null,
  request_hash bytea not null,
  answer bytea,
  created_at timestamp with time zone default now() not null,
  constraint idempotent_requests_pkey PRIMARY KEY (user_id, key_hash),
  constraint idempotent_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint idempotent_requests_key_hash_length CHECK ((octet_length(key_hash) = 32)),
  constraint idempotent_requests_request_hash_length CHECK ((octet_length(request_hash) = 32))
);
CREATE INDEX idempotent_requests_created_at_idx ON public.idempotent_requests USING btree (created_at);

create table images (
  url_sha256 text not null,
  content_sha256 text not null,
  content_type text not null,
  created_at timestamp with time zone default now() not null,
  size bigint not null,
  constraint images_pkey PRIMARY KEY (url_sha256)
);
CREATE INDEX images_path_idx ON public.images USING btree ((('images/'::text || content_sha256)));

create table installation_secrets (
  name text not null,
  value bytea not null,
  constraint installation_secrets_pkey PRIMARY KEY (name)
);

create table integrity_findings (
  id bigint generated always as identity not null,
  job_id uuid not null,
  attempt smallint not null,
  kind text not null,
  finding jsonb not null,
  constraint integrity_findings_pkey PRIMARY KEY (id)
);
CREATE INDEX integrity_findings_list_idx ON public.integrity_findings USING btree (job_id, attempt, kind, id);

create table job_artifacts (
  id uuid not null,
  job_id uuid not null,
  artifact_type text not null,
  artifact_ref text,
  artifact_payload jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint job_artifacts_pkey PRIMARY KEY (id)
);
CREATE INDEX job_artifacts_job_id_idx ON public.job_artifacts USING btree (job_id);

create table job_attempts (
  job_id uuid not null,
  attempt_number smallint not null,
  status text not null,
  result jsonb,
  error_text text,
  error_code text,
  worker text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone default now() not null,
  runtime_ms integer not null,
  queue text,
  due_at timestamp with time zone,
  failure_id uuid generated always as ((md5(((COALESCE(error_code, ''::text) || '
'::text) || regexp_replace("left"(error_text, 300), '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|https?://[^\s"''<>]+|[0-9a-f]{16,}|[0-9]{4,}'::text, '…'::text, 'g'::text))))::uuid) stored,
  constraint job_attempts_pkey PRIMARY KEY (job_id, attempt_number),
  constraint job_attempts_error_named CHECK (((status = 'succeeded'::text) = (error_text IS NULL))),
  constraint job_attempts_number_from_one CHECK ((attempt_number >= 1)),
  constraint job_attempts_status_known CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'interrupted'::text])))
);
CREATE INDEX job_attempts_finished_at_idx ON public.job_attempts USING brin (finished_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX job_attempts_trouble_idx ON public.job_attempts USING btree (job_id, attempt_number) WHERE (status <> 'succeeded'::text);

create table job_queue (
  job_id uuid not null,
  due_at timestamp with time zone not null,
  priority smallint not null,
  attempt_count smallint default 0 not null,
  refunded_count smallint default 0 not null,
  queue text not null,
  lease_token uuid,
  worker_id uuid,
  started_at timestamp with time zone,
  progress jsonb,
  interrupted_count smallint default 0 not null,
  constraint job_queue_pkey PRIMARY KEY (job_id),
  constraint job_queue_interruptions_bounded CHECK (((interrupted_count >= 0) AND (interrupted_count <= LEAST((refunded_count)::integer, 100)))),
  constraint job_queue_lease_whole CHECK ((num_nonnulls(lease_token, worker_id, started_at) = ANY (ARRAY[0, 3]))),
  constraint job_queue_refunds_possible CHECK (((refunded_count >= 0) AND (refunded_count <= attempt_count)))
);
CREATE INDEX job_queue_claim_idx ON public.job_queue USING btree (queue, priority, due_at, job_id);

create table job_schedules (
  name text not null,
  next_run_at timestamp with time zone default now() not null,
  last_run_at timestamp with time zone,
  last_job_id uuid,
  created_at timestamp with time zone default now() not null,
  constraint job_schedules_pkey PRIMARY KEY (name)
);

create table jobs (
  id uuid not null,
  job_type text not null,
  queue text not null,
  priority smallint default 5 not null,
  payload jsonb default '{}'::jsonb not null,
  execution_mode text default 'async'::text not null,
  idempotency_key text,
  max_attempts smallint default 3 not null,
  created_by text,
  request_id text,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  created_by_user_id uuid,
  traceparent text,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_execution_mode_known CHECK ((execution_mode = ANY (ARRAY['async'::text, 'sync'::text, 'shadow'::text]))),
  constraint jobs_idempotency_key_length CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 128))),
  constraint jobs_max_attempts_range CHECK (((max_attempts >= 1) AND (max_attempts <= 10))),
  constraint jobs_priority_range CHECK (((priority >= 0) AND (priority <= 9))),
  constraint jobs_traceparent_length CHECK ((char_length(traceparent) = 55))
);
CREATE INDEX jobs_cancelled_idx ON public.jobs USING btree (id) WHERE (cancelled_at IS NOT NULL);
CREATE INDEX jobs_created_by_idx ON public.jobs USING btree (created_by, id) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX jobs_idempotency_key ON public.jobs USING btree (idempotency_key, job_type, created_by_user_id) NULLS NOT DISTINCT WHERE (idempotency_key IS NOT NULL);

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

create table library_invitations (
  id uuid not null,
  library_id uuid not null,
  inviter_user_id uuid not null,
  invitee_user_id uuid not null,
  role text not null,
  status text default 'pending'::text not null,
  created_at timestamp with time zone default now() not null,
  responded_at timestamp with time zone,
  library_name text,
  constraint library_invitations_pkey PRIMARY KEY (id),
  constraint library_invitations_invitee_user_id_fkey FOREIGN KEY (invitee_user_id) REFERENCES users(id),
  constraint library_invitations_inviter_user_id_fkey FOREIGN KEY (inviter_user_id) REFERENCES users(id),
  constraint library_invitations_library_id_fkey FOREIGN KEY (library_id) REFERENCES libraries(id) ON DELETE CASCADE,
  constraint library_invitations_response_dated CHECK (((status = 'pending'::text) = (responded_at IS NULL))),
  constraint library_invitations_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'contributor'::text, 'member'::text]))),
  constraint library_invitations_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'revoked'::text])))
);
CREATE INDEX library_invitations_invitee_idx ON public.library_invitations USING btree (invitee_user_id, status, id);
CREATE INDEX library_invitations_library_idx ON public.library_invitations USING btree (library_id, status, id);
CREATE UNIQUE INDEX library_invitations_one_pending ON public.library_invitations USING btree (library_id, invitee_user_id) WHERE (status = 'pending'::text);
CREATE INDEX library_invitations_pending_inviter_idx ON public.library_invitations USING btree (inviter_user_id) WHERE (status = 'pending'::text);

create table library_media (
  library_id uuid not null,
  media_id uuid not null,
  is_derived boolean not null,
  added_by_user_id uuid,
  created_at timestamp with time zone default now() not null,
  ready_kind text,
  ready_site text,
  constraint library_media_pkey PRIMARY KEY (library_id, media_id),
  constraint library_media_derived_by_nobody CHECK (((NOT is_derived) OR (added_by_user_id IS NULL))),
  constraint library_media_ready_whole CHECK (((ready_kind IS NOT NULL) OR (ready_site IS NULL)))
);
CREATE INDEX library_media_facts_idx ON public.library_media USING btree (library_id, ready_site, ready_kind, media_id) WHERE (NOT is_derived);
CREATE INDEX library_media_list_idx ON public.library_media USING btree (library_id, created_at, media_id);
CREATE INDEX library_media_shared_idx ON public.library_media USING btree (media_id, library_id) WHERE (NOT is_derived);

create table library_media_tags (
  library_id uuid not null,
  media_id uuid not null,
  name text not null,
  constraint library_media_tags_library_id_fkey FOREIGN KEY (library_id) REFERENCES libraries(id) ON DELETE CASCADE,
  constraint library_media_tags_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint library_media_tags_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64)))
);
CREATE UNIQUE INDEX library_media_tags_key ON public.library_media_tags USING btree (library_id, media_id, lower(name));
CREATE INDEX library_media_tags_media_id_idx ON public.library_media_tags USING btree (media_id);
CREATE INDEX library_media_tags_name_idx ON public.library_media_tags USING btree (library_id, lower(name) text_pattern_ops, media_id);

create table media (
  id uuid not null,
  kind text not null,
  title text not null,
  created_by_user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  processing_status text default 'pending'::text not null,
  failure_stage text,
  last_error_code text,
  last_error_message text,
  processing_attempts integer default 0 not null,
  processing_started_at timestamp with time zone,
  processing_completed_at timestamp with time zone,
  failed_at timestamp with time zone,
  given_title text,
  canonical_url text,
  provider text,
  provider_id text,
  external_playback_url text,
  file_path text,
  file_content_type text,
  file_size bigint,
  file_sha256 text,
  plain_text text,
  author text,
  site text,
  language text,
  published text,
  description text,
  word_count integer,
  reading_minutes integer,
  page_count integer,
  cover text,
  outline jsonb default '[]'::jsonb not null,
  job_id uuid,
  charged_user_id uuid not null,
  stored_bytes bigint default 0 not null,
  title_edited_at timestamp with time zone,
  is_link boolean default false not null,
  book jsonb,
  thumbnail text,
  thumbnail_asked_at timestamp with time zone,
  constraint media_pkey PRIMARY KEY (id),
  constraint media_charged_user_id_fkey FOREIGN KEY (charged_user_id) REFERENCES users(id),
  constraint media_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(id),
  constraint media_canonical_url_length CHECK ((octet_length(canonical_url) <= 2048)),
  constraint media_failure_stage_known CHECK ((failure_stage = ANY (ARRAY['upload'::text, 'extract'::text, 'transcribe'::text, 'embed'::text, 'other'::text]))),
  constraint media_failure_whole CHECK ((num_nonnulls(failure_stage, last_error_code, last_error_message, failed_at) =
CASE
    WHEN (processing_status = 'failed'::text) THEN 4
    ELSE 0
END)),
  constraint media_kind_known CHECK ((kind = ANY (ARRAY['web_article'::text, 'video'::text, 'pdf'::text, 'epub'::text, 'podcast_episode'::text]))),
  constraint media_processing_status_known CHECK ((processing_status = ANY (ARRAY['pending'::text, 'extracting'::text, 'ready_for_reading'::text, 'embedding'::text, 'ready'::text, 'failed'::text]))),
  constraint media_stored_bytes_range CHECK ((stored_bytes >= 0)),
  constraint media_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 1000)))
);
CREATE UNIQUE INDEX media_canonical_url_key ON public.media USING btree (kind, canonical_url) WHERE (canonical_url IS NOT NULL);
CREATE INDEX media_created_by_user_id_idx ON public.media USING btree (created_by_user_id);
CREATE INDEX media_facts_idx ON public.media USING btree (id) INCLUDE (kind, processing_status, site);
CREATE UNIQUE INDEX media_file_key ON public.media USING btree (created_by_user_id, kind, file_sha256) WHERE ((file_sha256 IS NOT NULL) AND (canonical_url IS NULL));
CREATE INDEX media_file_path_idx ON public.media USING btree (file_path) WHERE (file_path IS NOT NULL);
CREATE INDEX media_file_sha256_idx ON public.media USING btree (file_sha256) WHERE (file_sha256 IS NOT NULL);
CREATE INDEX media_length_asc_idx ON public.media USING btree (COALESCE(word_count, 2147483647), id);
CREATE INDEX media_length_desc_idx ON public.media USING btree (COALESCE(word_count, '-1'::integer), id);
CREATE INDEX media_published_asc_idx ON public.media USING btree (COALESCE(published, '~'::text) COLLATE "C", id);
CREATE INDEX media_published_desc_idx ON public.media USING btree (COALESCE(published, ''::text) COLLATE "C", id);
CREATE INDEX media_thumbnail_missing_idx ON public.media USING btree (id) WHERE ((thumbnail_asked_at IS NULL) AND ((cover IS NOT NULL) OR ((kind = 'pdf'::text) AND (file_path IS NOT NULL))));
CREATE INDEX media_title_idx ON public.media USING btree ("left"(lower(title), 200), id);
CREATE INDEX media_title_search_idx ON public.media USING gin (search_document(title));
CREATE INDEX media_under_way_idx ON public.media USING btree (id) WHERE (processing_status = ANY (ARRAY['pending'::text, 'extracting'::text, 'ready_for_reading'::text, 'embedding'::text]));
CREATE TRIGGER media_charged_to_creator BEFORE INSERT ON public.media FOR EACH ROW EXECUTE FUNCTION charge_creator();
CREATE TRIGGER media_ready_noted AFTER UPDATE OF kind, site, processing_status ON public.media FOR EACH ROW WHEN ((((old.processing_status = 'ready'::text) OR (new.processing_status = 'ready'::text)) AND (((old.kind IS DISTINCT FROM new.kind) OR (old.site IS DISTINCT FROM new.site)) OR (old.processing_status IS DISTINCT FROM new.processing_status)))) EXECUTE FUNCTION note_ready_media();
CREATE TRIGGER media_storage_charged AFTER INSERT OR DELETE OR UPDATE OF stored_bytes, charged_user_id ON public.media FOR EACH ROW EXECUTE FUNCTION charge_storage();

create table media_assets (
  media_id uuid not null,
  name text not null,
  content_type text not null,
  path text not null,
  constraint media_assets_pkey PRIMARY KEY (media_id, name),
  constraint media_assets_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);
CREATE INDEX media_assets_path_idx ON public.media_assets USING btree (path);

create table media_fragments (
  id uuid not null,
  media_id uuid not null,
  idx integer not null,
  title text,
  html_sanitized text not null,
  canonical_text text not null,
  t_start_ms integer,
  t_end_ms integer,
  text_length integer generated always as ((char_length(canonical_text) + ((octet_length(canonical_text) - octet_length(regexp_replace(canonical_text, '[\U00010000-\U0010FFFF]'::text, ''::text, 'g'::text))) / 4))) stored not null,
  characters integer generated always as (char_length(canonical_text)) stored not null,
  layout jsonb,
  printed_pages jsonb,
  constraint media_fragments_pkey PRIMARY KEY (id),
  constraint media_fragments_in_order UNIQUE (media_id, idx),
  constraint media_fragments_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);

create table media_images (
  media_id uuid not null,
  url_sha256 text not null,
  constraint media_images_pkey PRIMARY KEY (media_id, url_sha256),
  constraint media_images_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);
CREATE INDEX media_images_url_idx ON public.media_images USING btree (url_sha256);

create table media_jobs (
  media_id uuid not null,
  job_id uuid not null,
  constraint media_jobs_pkey PRIMARY KEY (media_id, job_id),
  constraint media_jobs_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);

create table media_mine (
  user_id uuid not null,
  media_id uuid not null,
  is_favourite boolean default false not null,
  archived_at timestamp with time zone,
  title text,
  note text,
  updated_at timestamp with time zone default now() not null,
  imported_title text,
  favourited_at timestamp with time zone,
  constraint media_mine_pkey PRIMARY KEY (user_id, media_id),
  constraint media_mine_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint media_mine_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint media_mine_imported_title_length CHECK (((char_length(imported_title) >= 1) AND (char_length(imported_title) <= 500))),
  constraint media_mine_title_length CHECK (((char_length(title) >= 1) AND (char_length(title) <= 500)))
);
CREATE INDEX media_mine_archived_idx ON public.media_mine USING btree (user_id, media_id) WHERE (archived_at IS NOT NULL);
CREATE INDEX media_mine_favourite_idx ON public.media_mine USING btree (user_id, media_id) WHERE is_favourite;
CREATE INDEX media_mine_media_id_idx ON public.media_mine USING btree (media_id);
CREATE INDEX media_mine_noted_idx ON public.media_mine USING btree (user_id, media_id) WHERE (note IS NOT NULL);
CREATE INDEX media_mine_title_search_idx ON public.media_mine USING gin (personal_document(user_id, title)) WHERE (title IS NOT NULL);
CREATE INDEX media_mine_titled_idx ON public.media_mine USING btree (user_id, media_id) WHERE (title IS NOT NULL);

create table media_readings (
  user_id uuid not null,
  media_id uuid not null,
  progress double precision not null,
  "position" jsonb,
  finished_at timestamp with time zone,
  updated_at timestamp with time zone default now() not null,
  constraint media_readings_pkey PRIMARY KEY (user_id, media_id),
  constraint media_readings_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint media_readings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint media_readings_progress_range CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision)))
);
CREATE INDEX media_readings_media_id_idx ON public.media_readings USING btree (media_id);
CREATE INDEX media_readings_recent_idx ON public.media_readings USING btree (user_id, updated_at, media_id);

create table media_search (
  media_id uuid not null,
  idx integer not null,
  document tsvector not null,
  words text,
  version smallint default 1 not null,
  constraint media_search_pkey PRIMARY KEY (media_id, idx),
  constraint media_search_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);
CREATE INDEX media_search_document_idx ON public.media_search USING gin (document);
CREATE INDEX media_search_version_idx ON public.media_search USING btree (version);

create table media_tags (
  tag_id uuid not null,
  media_id uuid not null,
  user_id uuid not null,
  added_by text default 'person'::text not null,
  created_at timestamp with time zone default now() not null,
  rule_id uuid,
  constraint media_tags_pkey PRIMARY KEY (tag_id, media_id),
  constraint media_tags_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint media_tags_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES rules(id) ON DELETE SET NULL,
  constraint media_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE,
  constraint media_tags_added_by_known CHECK ((added_by = ANY (ARRAY['person'::text, 'import'::text, 'rule'::text])))
);
CREATE INDEX media_tags_media_idx ON public.media_tags USING btree (media_id, user_id);
CREATE INDEX media_tags_rule_id_idx ON public.media_tags USING btree (rule_id) WHERE (rule_id IS NOT NULL);

create table memberships (
  library_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint memberships_pkey PRIMARY KEY (library_id, user_id),
  constraint memberships_library_id_fkey FOREIGN KEY (library_id) REFERENCES libraries(id) ON DELETE CASCADE,
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint memberships_role_known CHECK ((role = ANY (ARRAY['admin'::text, 'contributor'::text, 'member'::text])))
);
CREATE INDEX memberships_user_id_idx ON public.memberships USING btree (user_id);

create table outbox_delivery (
  event_id uuid not null,
  subscriber text not null,
  attempts smallint default 1 not null,
  error_message text,
  delivered_at timestamp with time zone,
  constraint outbox_delivery_pkey PRIMARY KEY (event_id, subscriber),
  constraint outbox_delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES outbox_event(id) ON DELETE CASCADE,
  constraint outbox_delivery_error_named CHECK (((delivered_at IS NULL) = (error_message IS NOT NULL)))
);

create table outbox_event (
  id uuid not null,
  transaction_id xid8 default pg_current_xact_id() not null,
  event_type text not null,
  schema_version smallint not null,
  aggregate_type text not null,
  aggregate_id text not null,
  payload jsonb not null,
  idempotency_key text not null,
  request_id text,
  status text default 'pending'::text not null,
  attempts smallint default 0 not null,
  max_attempts smallint default 5 not null,
  next_attempt_at timestamp with time zone default now(),
  claim_id uuid,
  error_message text,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  worker_id uuid,
  interruptions smallint default 0 not null,
  traceparent text,
  constraint outbox_event_pkey PRIMARY KEY (id),
  constraint outbox_event_attempts_range CHECK ((((attempts - interruptions) >= 0) AND ((attempts - interruptions) <= max_attempts))),
  constraint outbox_event_claim_whole CHECK ((num_nonnulls(claim_id, worker_id) = ANY (ARRAY[0, 2]))),
  constraint outbox_event_claimed_while_pending CHECK (((claim_id IS NULL) OR (status = 'pending'::text))),
  constraint outbox_event_delivery_dated CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint outbox_event_due_while_pending CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint outbox_event_idempotency_key_length CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 300))),
  constraint outbox_event_interruptions_bounded CHECK (((interruptions >= 0) AND (interruptions <= 100))),
  constraint outbox_event_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint outbox_event_traceparent_length CHECK ((char_length(traceparent) = 55))
);
CREATE INDEX outbox_event_failed_idx ON public.outbox_event USING btree (id) WHERE (status = 'failed'::text);
CREATE INDEX outbox_event_feed_idx ON public.outbox_event USING btree (transaction_id, id);
CREATE UNIQUE INDEX outbox_event_idempotency_key ON public.outbox_event USING btree (event_type, idempotency_key);
CREATE INDEX outbox_event_pending_idx ON public.outbox_event USING btree (next_attempt_at) WHERE (status = 'pending'::text);

create table rate_limit_buckets (
  name text not null,
  tokens double precision not null,
  granted double precision not null,
  refilled_at timestamp with time zone not null,
  constraint rate_limit_buckets_pkey PRIMARY KEY (name)
);
CREATE INDEX rate_limit_buckets_refilled_at_idx ON public.rate_limit_buckets USING btree (refilled_at);

create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  spent_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint refresh_tokens_token_hash_length CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX refresh_tokens_session_id_idx ON public.refresh_tokens USING btree (session_id);

create table rule_notifications (
  id uuid not null,
  user_id uuid not null,
  rule_id uuid not null,
  media_id uuid not null,
  created_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone,
  constraint rule_notifications_pkey PRIMARY KEY (id),
  constraint rule_notifications_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint rule_notifications_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES rules(id) ON DELETE CASCADE,
  constraint rule_notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX rule_notifications_created_at_idx ON public.rule_notifications USING btree (created_at);
CREATE INDEX rule_notifications_media_id_idx ON public.rule_notifications USING btree (media_id);
CREATE INDEX rule_notifications_rule_id_idx ON public.rule_notifications USING btree (rule_id);
CREATE INDEX rule_notifications_unseen_idx ON public.rule_notifications USING btree (user_id, id) WHERE (seen_at IS NULL);
CREATE INDEX rule_notifications_user_id_idx ON public.rule_notifications USING btree (user_id, id);

create table rule_run_items (
  run_id uuid not null,
  media_id uuid not null,
  tags text[] not null,
  is_added boolean not null,
  is_archived boolean not null,
  is_favourite boolean not null,
  refused text[] not null,
  changed_at timestamp with time zone default now() not null,
  undone_at timestamp with time zone,
  kept text[],
  constraint rule_run_items_pkey PRIMARY KEY (run_id, media_id),
  constraint rule_run_items_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE,
  constraint rule_run_items_run_id_fkey FOREIGN KEY (run_id) REFERENCES rule_runs(id) ON DELETE CASCADE,
  constraint rule_run_items_undone_whole CHECK (((undone_at IS NULL) = (kept IS NULL)))
);
CREATE INDEX rule_run_items_media_id_idx ON public.rule_run_items USING btree (media_id);
CREATE INDEX rule_run_items_to_undo_idx ON public.rule_run_items USING btree (run_id, media_id) WHERE (undone_at IS NULL);

create table rule_runs (
  id uuid not null,
  user_id uuid not null,
  rule_id uuid,
  rule_name text not null,
  query text not null,
  actions jsonb not null,
  is_dry_run boolean not null,
  status text default 'queued'::text not null,
  job_id uuid not null,
  error_message text,
  matched_count integer default 0 not null,
  changed_count integer default 0 not null,
  refused_count integer default 0 not null,
  undone_count integer default 0 not null,
  kept_count integer default 0 not null,
  undo_job_id uuid,
  undo_status text,
  created_at timestamp with time zone default now() not null,
  finished_at timestamp with time zone,
  constraint rule_runs_pkey PRIMARY KEY (id),
  constraint rule_runs_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES rules(id) ON DELETE SET NULL,
  constraint rule_runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint rule_runs_dry_not_undone CHECK (((NOT is_dry_run) OR (undo_job_id IS NULL))),
  constraint rule_runs_finished CHECK (((status = ANY (ARRAY['queued'::text, 'running'::text])) = (finished_at IS NULL))),
  constraint rule_runs_status_known CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint rule_runs_undo_status_known CHECK ((undo_status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint rule_runs_undo_whole CHECK (((undo_job_id IS NULL) = (undo_status IS NULL)))
);
CREATE INDEX rule_runs_finished_at_idx ON public.rule_runs USING btree (finished_at);
CREATE INDEX rule_runs_rule_id_idx ON public.rule_runs USING btree (rule_id);
CREATE INDEX rule_runs_user_id_idx ON public.rule_runs USING btree (user_id, id);

create table rules (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  query text not null,
  actions jsonb not null,
  is_enabled boolean default true not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint rules_pkey PRIMARY KEY (id),
  constraint rules_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint rules_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint rules_query_length CHECK (((char_length(query) >= 1) AND (char_length(query) <= 1000)))
);
CREATE INDEX rules_user_id_idx ON public.rules USING btree (user_id, id);

create table rules_pending (
  default_library_id uuid not null,
  media_id uuid not null,
  event_id uuid not null,
  constraint rules_pending_pkey PRIMARY KEY (default_library_id, media_id),
  constraint rules_pending_default_library_id_media_id_fkey FOREIGN KEY (default_library_id, media_id) REFERENCES default_library_intrinsics(default_library_id, media_id) ON DELETE CASCADE
);
CREATE INDEX rules_pending_media_id_idx ON public.rules_pending USING btree (media_id);

create table saved_searches (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  query text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint saved_searches_pkey PRIMARY KEY (id),
  constraint saved_searches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint saved_searches_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint saved_searches_query_length CHECK (((char_length(query) >= 1) AND (char_length(query) <= 1000)))
);
CREATE INDEX saved_searches_user_id_idx ON public.saved_searches USING btree (user_id, id);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table sessions (
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  began_with text not null,
  api_key_id uuid,
  token_hash bytea,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sessions_began_with_known CHECK ((began_with = ANY (ARRAY['password'::text, 'api_key'::text, 'sign_in_link'::text]))),
  constraint sessions_key_named CHECK (((began_with = 'api_key'::text) = (api_key_id IS NOT NULL))),
  constraint sessions_kind_known CHECK ((kind = ANY (ARRAY['browser'::text, 'program'::text]))),
  constraint sessions_token_hash_length CHECK ((octet_length(token_hash) = 32)),
  constraint sessions_token_kept CHECK (((kind = 'browser'::text) = (token_hash IS NOT NULL)))
);
CREATE INDEX sessions_api_key_id_idx ON public.sessions USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX sessions_user_id_idx ON public.sessions USING btree (user_id);

create table sign_in_links (
  token_hash bytea not null,
  user_id uuid not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sign_in_links_token_hash_length CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sign_in_links_user_id_idx ON public.sign_in_links USING btree (user_id);

create table storage_usage (
  user_id uuid not null,
  bytes bigint not null,
  constraint storage_usage_pkey PRIMARY KEY (user_id),
  constraint storage_usage_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table tags (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint tags_pkey PRIMARY KEY (id),
  constraint tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint tags_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64)))
);
CREATE UNIQUE INDEX tags_name_key ON public.tags USING btree (user_id, lower(name) text_pattern_ops);

create table trash (
  default_library_id uuid not null,
  media_id uuid not null,
  trashed_at timestamp with time zone default now() not null,
  library_id uuid,
  saved_at timestamp with time zone,
  requested_url text,
  constraint trash_pkey PRIMARY KEY (default_library_id, media_id),
  constraint trash_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);
CREATE INDEX trash_age_idx ON public.trash USING btree (trashed_at);
CREATE INDEX trash_list_idx ON public.trash USING btree (default_library_id, trashed_at, media_id);
CREATE INDEX trash_media_id_idx ON public.trash USING btree (media_id);

create table unheld_media (
  media_id uuid not null,
  since timestamp with time zone default now() not null,
  constraint unheld_media_pkey PRIMARY KEY (media_id),
  constraint unheld_media_media_id_fkey FOREIGN KEY (media_id) REFERENCES media(id) ON DELETE CASCADE
);
CREATE INDEX unheld_media_since_idx ON public.unheld_media USING btree (since);

create table uploads (
  media_id uuid not null,
  user_id uuid not null,
  path text not null,
  content_type text not null,
  size_bytes bigint not null,
  status text default 'open'::text not null,
  received_at timestamp with time zone,
  sha256 text,
  outcome_media_id uuid,
  error_code text,
  error_message text,
  open_until timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint uploads_pkey PRIMARY KEY (media_id),
  constraint uploads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint uploads_end_dated CHECK (((status = 'open'::text) = (closed_at IS NULL))),
  constraint uploads_outcome_known CHECK (((status = 'taken_in'::text) = (outcome_media_id IS NOT NULL))),
  constraint uploads_received_whole CHECK (((received_at IS NULL) = (sha256 IS NULL))),
  constraint uploads_refusal_told CHECK ((num_nonnulls(error_code, error_message) =
CASE
    WHEN (status = ANY (ARRAY['refused'::text, 'expired'::text])) THEN 2
    ELSE 0
END)),
  constraint uploads_status_known CHECK ((status = ANY (ARRAY['open'::text, 'taken_in'::text, 'refused'::text, 'expired'::text])))
);
CREATE INDEX uploads_closed_idx ON public.uploads USING btree (closed_at) WHERE (status <> 'open'::text);
CREATE INDEX uploads_open_idx ON public.uploads USING btree (open_until) WHERE (status = 'open'::text);
CREATE INDEX uploads_outcome_idx ON public.uploads USING btree (outcome_media_id) WHERE (outcome_media_id IS NOT NULL);
CREATE UNIQUE INDEX uploads_path_key ON public.uploads USING btree (path);

create table users (
  id uuid not null,
  username text not null,
  display_name text not null,
  role text default 'viewer'::text not null,
  password_hash text,
  default_library_id uuid not null,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  bootstrapped_in text,
  storage_quota_mb integer,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_default_library_own FOREIGN KEY (default_library_id, id) REFERENCES libraries(id, owner_user_id) DEFERRABLE INITIALLY DEFERRED,
  constraint users_bootstrapped_in_known CHECK ((bootstrapped_in = ANY (ARRAY['dev'::text, 'test'::text, 'prod'::text]))),
  constraint users_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 200))),
  constraint users_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'researcher'::text, 'admin'::text]))),
  constraint users_storage_quota_range CHECK (((storage_quota_mb >= 0) AND (storage_quota_mb <= 100000000))),
  constraint users_username_form CHECK ((username ~ '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$'::text))
);
CREATE INDEX users_display_name_prefix_idx ON public.users USING btree (lower(display_name) text_pattern_ops) WHERE (disabled_at IS NULL);
CREATE INDEX users_enabled_admins ON public.users USING btree (id) WHERE ((role = 'admin'::text) AND (disabled_at IS NULL));
CREATE UNIQUE INDEX users_username_key ON public.users USING btree (lower(username));
CREATE INDEX users_username_prefix_idx ON public.users USING btree (lower(username) text_pattern_ops) WHERE (disabled_at IS NULL);

create table webhook_attempts (
  id uuid not null,
  delivery_id uuid not null,
  url text not null,
  request_headers jsonb not null,
  response_status smallint,
  response_body text,
  error_code text,
  error_message text,
  duration_ms integer not null,
  created_at timestamp with time zone default now() not null,
  constraint webhook_attempts_pkey PRIMARY KEY (id),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE
);
CREATE INDEX webhook_attempts_delivery_id_idx ON public.webhook_attempts USING btree (delivery_id, id);

create table webhook_deliveries (
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  body text not null,
  status text default 'pending'::text not null,
  attempts smallint default 0 not null,
  next_attempt_at timestamp with time zone default now(),
  claim_id uuid,
  delivered_at timestamp with time zone,
  error_message text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  worker_id uuid,
  interruptions smallint default 0 not null,
  traceparent text,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_deliveries_claim_whole CHECK ((num_nonnulls(claim_id, worker_id) = ANY (ARRAY[0, 2]))),
  constraint webhook_deliveries_claimed_while_pending CHECK (((claim_id IS NULL) OR (status = 'pending'::text))),
  constraint webhook_deliveries_delivery_dated CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint webhook_deliveries_due_while_pending CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_interruptions_bounded CHECK (((interruptions >= 0) AND (interruptions <= LEAST((attempts)::integer, 100)))),
  constraint webhook_deliveries_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_traceparent_length CHECK ((char_length(traceparent) = 55))
);
CREATE INDEX webhook_deliveries_list_idx ON public.webhook_deliveries USING btree (webhook_id, id);
CREATE UNIQUE INDEX webhook_deliveries_once ON public.webhook_deliveries USING btree (webhook_id, event_id);
CREATE INDEX webhook_deliveries_pending_idx ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE (status = 'pending'::text);

create table webhook_secrets (
  id uuid not null,
  webhook_id uuid not null,
  secret text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_secrets_webhook_id_idx ON public.webhook_secrets USING btree (webhook_id);

create table webhooks (
  id uuid not null,
  url text not null,
  event_types text[] default '{}'::text[] not null,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_disabled_for_a_reason CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  constraint webhooks_url_length CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2048)))
);

create table workers (
  id uuid not null,
  name text not null,
  queues text[] not null,
  concurrency integer not null,
  running_count integer default 0 not null,
  started_at timestamp with time zone default now() not null,
  heartbeat_at timestamp with time zone default now() not null,
  lease_expires_at timestamp with time zone not null,
  constraint workers_pkey PRIMARY KEY (id)
);
CREATE INDEX workers_lease_expires_at_idx ON public.workers USING btree (lease_expires_at);

CREATE OR REPLACE FUNCTION public.charge_creator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.charged_user_id = coalesce(new.charged_user_id, new.created_by_user_id);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.charge_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.note_ready_media()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.personal_document(user_id uuid, given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (search_document(given) || array_to_tsvector(ARRAY[(' '::text || (user_id)::text)]))
;

CREATE OR REPLACE FUNCTION public.personal_query(user_id uuid, words tsquery)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (numnode(words) = 0) THEN words ELSE (words && (quote_literal((' '::text || (user_id)::text)))::tsquery) END
;

CREATE OR REPLACE FUNCTION public.search_document(given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN to_tsvector('simple'::regconfig, regexp_replace(search_form(given), '[!-/:-@\[-`{-~]+'::text, ' '::text, 'g'::text))
;

CREATE OR REPLACE FUNCTION public.search_form(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(NORMALIZE(regexp_replace(lower(NORMALIZE(regexp_replace(given, '[\u2120\u2122]|([\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u2079\u2150-\u215f\u2189]+)'::text, ' \1 '::text, 'g'::text), NFKD)), '[\u0300-\u036f\u00ad\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+'::text, ''::text, 'g'::text), NFC), '[\u0080-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02eb\u02ed\u02ef-\u02ff\u0375\u03f6\u0482\u055a-\u055f\u0589-\u058f\u05be\u05c0\u05c3\u05c6\u05f3-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u06de\u06e9\u06fd-\u06fe\u0700-\u070d\u07f6-\u07f9\u07fe-\u07ff\u0830-\u083e\u085e\u0888\u0964-\u0965\u0970\u09f2-\u09f3\u09fa-\u09fb\u09fd\u0a76\u0af0-\u0af1\u0b70\u0bf3-\u0bfa\u0c77\u0c7f\u0c84\u0d4f\u0d79\u0df4\u0e3f\u0e4f\u0e5a-\u0e5b\u0f01-\u0f17\u0f1a-\u0f1f\u0f34\u0f36\u0f38\u0f3a-\u0f3d\u0f85\u0fbe-\u0fc5\u0fc7-\u0fda\u104a-\u104f\u109e-\u109f\u10fb\u1360-\u1368\u1390-\u1399\u1400\u166d-\u166e\u1680\u169b-\u169c\u16eb-\u16ed\u1735-\u1736\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a\u1940-\u1945\u19de-\u19ff\u1a1e-\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad\u1b4e-\u1b4f\u1b5a-\u1b6a\u1b74-\u1b7f\u1bfc-\u1bff\u1c3b-\u1c3f\u1c7e-\u1c7f\u1cc0-\u1cc7\u1cd3\u2010-\u20c1\u2104-\u212e\u213a-\u214d\u214f\u218a-\u244a\u2500-\u2775\u2794-\u2bff\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe-\u2cff\u2d70\u2e00-\u2e2e\u2e30-\u3004\u3008-\u3020\u3030\u3037\u303d-\u303f\u30a0\u30fb\u3190-\u3191\u31c0-\u31ef\u327f\u4dc0-\u4dff\ua490-\ua4c6\ua4fe-\ua4ff\ua60d-\ua60f\ua673\ua67e\ua6f2-\ua716\ua720-\ua721\ua789-\ua78a\ua828-\ua82b\ua836-\ua839\ua874-\ua877\ua8ce-\ua8cf\ua8f8-\ua8fa\ua8fc\ua92e-\ua92f\ua95f\ua9c1-\ua9cd\ua9de-\ua9df\uaa5c-\uaa5f\uaa77-\uaa79\uaade-\uaadf\uaaf0-\uaaf1\uab5b\uab6a-\uab6b\uabeb\ufbb2-\ufdff\ufe45-\ufe46\ufffc-\ufffd\U00010100-\U00010102\U00010137-\U0001013f\U00010179-\U00010189\U0001018c-\U000101fc\U0001039f\U000103d0\U0001056f\U00010857\U00010877-\U00010878\U0001091f\U0001093f\U00010a50-\U00010a58\U00010a7f\U00010ac8\U00010af0-\U00010af6\U00010b39-\U00010b3f\U00010b99-\U00010b9c\U00010d6e\U00010d8e-\U00010d8f\U00010ead\U00010ed0-\U00010ed8\U00010f55-\U00010f59\U00010f86-\U00010f89\U00011047-\U0001104d\U000110bb-\U000110c1\U00011140-\U00011143\U00011174-\U00011175\U000111c5-\U000111c8\U000111cd\U000111db\U000111dd-\U000111df\U00011238-\U0001123d\U000112a9\U000113d4-\U000113d8\U0001144b-\U0001144f\U0001145a-\U0001145d\U000114c6\U000115c1-\U000115d7\U00011641-\U00011643\U00011660-\U0001166c\U000116b9\U0001173c-\U0001173f\U0001183b\U00011944-\U00011946\U000119e2\U00011a3f-\U00011a46\U00011a9a-\U00011a9c\U00011a9e-\U00011aa2\U00011b00-\U00011b09\U00011be1\U00011c41-\U00011c45\U00011c70-\U00011c71\U00011ef7-\U00011ef8\U00011f43-\U00011f4f\U00011fd5-\U00011fff\U00012470-\U00012474\U00012ff1-\U00012ff2\U00016a6e-\U00016a6f\U00016af5\U00016b37-\U00016b3f\U00016b44-\U00016b45\U00016d6d-\U00016d6f\U00016e97-\U00016e9a\U00016fe2\U0001bc9c\U0001bc9f-\U0001cef0\U0001cf50-\U0001d15d\U0001d16a-\U0001d16c\U0001d183-\U0001d184\U0001d18c-\U0001d1a9\U0001d1ae-\U0001d241\U0001d245\U0001d300-\U0001d356\U0001d800-\U0001d9ff\U0001da37-\U0001da3a\U0001da6d-\U0001da74\U0001da76-\U0001da83\U0001da85-\U0001da8b\U0001e14f\U0001e2ff\U0001e5ff\U0001e95e-\U0001e95f\U0001ecac\U0001ecb0\U0001ed2e\U0001eef0-\U0001f0f5\U0001f10d-\U0001fbfa]+'::text, ' '::text, 'g'::text), '([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text)
;

CREATE OR REPLACE FUNCTION public.search_words(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(((' '::text || search_form(given)) || ' '::text), '[\u0001-/:-@\[-`{-\u007f]+'::text, ' '::text, 'g'::text)
;
