-- Since when work recurs, so that work that has never succeeded is noticed.
alter table job_schedules add column created_at timestamptz not null default now();
