-- What may be shown of a text, and what was found in it.

-- A policy holds for one mode: it keeps a text from being shown at all, or what it finds in it.
create table governance_policies (
  id uuid primary key,
  name text not null
    constraint governance_policies_name_length check (char_length(name) between 1 and 100),
  mode text not null
    constraint governance_policies_mode_known check (mode in ('PUBLIC', 'RAW')),
  action text not null
    constraint governance_policies_action_known check (action in ('block', 'redact')),
  terms text[] not null default '{}',
  patterns text[] not null default '{}',
  is_enabled boolean not null default true,
  source text not null
    constraint governance_policies_source_known check (source in ('configuration', 'api')),
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index governance_policies_name_key on governance_policies (lower(name));
-- The configuration has one, whoever of several processes writes it first.
create unique index governance_policies_configured_key on governance_policies (source) where source = 'configuration';

-- One analysis of one document. A row is there when the analysis is complete, and never changes.
create table analysis_runs (
  id uuid primary key,
  document_id uuid not null references media (id) on delete cascade,
  job_id uuid not null,
  mode text not null
    constraint analysis_runs_mode_known check (mode in ('PUBLIC', 'RAW')),
  plugin_profile text not null
    constraint analysis_runs_plugin_profile_known check (plugin_profile in ('deterministic', 'ml_first', 'ml_only')),
  shadow_of uuid references analysis_runs (id) on delete cascade,
  language text not null,
  word_count integer not null,
  text_sha256 text not null,
  confidence double precision not null
    constraint analysis_runs_confidence_range check (confidence between 0 and 1),
  runtime_ms integer not null,
  created_by text not null,
  created_by_user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  -- However often a job is tried, it leaves one run.
  constraint analysis_runs_one_of_a_job unique (job_id),
  -- A run has one shadow.
  constraint analysis_runs_one_shadow unique (shadow_of)
);

create index analysis_runs_document_idx on analysis_runs (document_id, id);

create table analysis_layers (
  run_id uuid not null references analysis_runs (id) on delete cascade,
  layer text not null,
  idx smallint not null,
  output jsonb not null,
  confidence double precision not null
    constraint analysis_layers_confidence_range check (confidence between 0 and 1),
  provider_name text not null,
  provider_version text not null,
  runtime_ms integer not null,
  fallback_reason text,
  primary key (run_id, layer)
);

-- The job that runs the shadow of a run. Whether it is done, or has failed, its job says.
create table analysis_shadows (
  run_id uuid primary key references analysis_runs (id) on delete cascade,
  job_id uuid not null
);
