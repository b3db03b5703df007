-- What an integrity audit has found, all of it: a job's result holds the first of each kind.
create table integrity_findings (
  id bigint generated always as identity primary key,
  job_id uuid not null,
  attempt smallint not null,
  kind text not null,
  -- The ids that it takes to find it, and what differs.
  finding jsonb not null
);

create index integrity_findings_list_idx on integrity_findings (job_id, attempt, kind, id);
