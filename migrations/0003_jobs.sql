-- Durable work. What never changes, what is still to be done, and what has happened are three tables, so that each is
-- written in the way that is cheapest for it: jobs and job_attempts only grow, job_queue stays small.
--
-- There are no foreign keys between them: each would lock the job's row again for every attempt, and rows leave only
-- through the retention sweep, which takes all three. The integrity audit looks for orphans.

-- What was asked for.
create table jobs (
  id uuid primary key,
  job_type text not null,
  queue text not null,
  priority smallint not null default 5
    constraint jobs_priority_range check (priority between 0 and 9),
  payload jsonb not null default '{}',
  execution_mode text not null default 'async'
    constraint jobs_execution_mode_known check (execution_mode in ('async', 'sync', 'shadow')),
  idempotency_key text
    constraint jobs_idempotency_key_length check (char_length(idempotency_key) between 1 and 128),
  max_attempts smallint not null default 3
    constraint jobs_max_attempts_range check (max_attempts between 1 and 10),
  created_by text,
  request_id text,
  -- Set when the job was cancelled, and cleared when an operator queues it again.
  cancelled_at timestamptz,
  created_at timestamptz not null default now()
);

create unique index jobs_idempotency_key on jobs (job_type, idempotency_key) where idempotency_key is not null;
create index jobs_created_by_idx on jobs (created_by, id) where created_by is not null;
create index jobs_cancelled_idx on jobs (id) where cancelled_at is not null;

-- What is still to be done: one row for each job that is not over.
--
-- The row is narrow, and what it says it says once: a job with a lease is running; one without waits for a retry when an
-- attempt counted against it, and is queued otherwise.
--
-- Two thirds of every page are left free, so that a claim can write the row's next, wider version beside the last one (a
-- HOT update): the columns it sets are in no index, and the claim skips rows that are leased.
create table job_queue (
  job_id uuid primary key,
  due_at timestamptz not null,
  priority smallint not null,
  -- How many attempts have begun. An attempt that was handed back at shutdown is refunded: it counts as begun, but not
  -- against max_attempts.
  attempt_count smallint not null default 0,
  refunded_count smallint not null default 0
    constraint job_queue_refunds_possible check (refunded_count between 0 and attempt_count),
  queue text not null,
  lease_token uuid,
  worker_id uuid,
  started_at timestamptz,
  progress jsonb,
  constraint job_queue_lease_whole check (num_nonnulls(lease_token, worker_id, started_at) in (0, 3))
) with (
  fillfactor = 35,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

-- The claim walks this index: within a queue and a priority, what has been due for longest comes first.
create index job_queue_claim_idx on job_queue (queue, priority, due_at, job_id);

-- What has happened: one row for each attempt that has ended, never changed afterwards.
create table job_attempts (
  job_id uuid not null,
  attempt_number smallint not null
    constraint job_attempts_number_from_one check (attempt_number >= 1),
  status text not null
    constraint job_attempts_status_known check (status in ('succeeded', 'failed', 'interrupted')),
  result jsonb,
  error_text text,
  error_code text,
  worker text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  runtime_ms integer not null,
  primary key (job_id, attempt_number),
  constraint job_attempts_error_named check ((status = 'succeeded') = (error_text is null))
);

create index job_attempts_trouble_idx on job_attempts (job_id, attempt_number) where status <> 'succeeded';

create table job_artifacts (
  id uuid primary key,
  job_id uuid not null,
  artifact_type text not null,
  artifact_ref text,
  artifact_payload jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create index job_artifacts_job_id_idx on job_artifacts (job_id);

-- Who does it. A worker's leases live as long as it renews this row.
create table job_workers (
  id uuid primary key,
  name text not null,
  queues text[] not null,
  concurrency integer not null,
  running_count integer not null default 0,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  lease_expires_at timestamptz not null
);

create index job_workers_lease_expires_at_idx on job_workers (lease_expires_at);

-- Work that recurs: whoever moves next_run_at on queues the job.
create table job_schedules (
  name text primary key,
  next_run_at timestamptz not null default now(),
  last_run_at timestamptz,
  last_job_id uuid
);
