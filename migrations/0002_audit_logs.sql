-- Who did, or was refused, what. Rows are only ever added.

create table audit_logs (
  id uuid primary key,
  action text not null,
  mode text not null default 'PUBLIC'
    constraint audit_logs_mode_known check (mode in ('PUBLIC', 'RAW')),
  actor text not null default 'system',
  details jsonb not null default '{}',
  created_at timestamptz not null default now()
);

-- The list is newest first; each filter has an index that delivers its rows in that order.
create index audit_logs_time_idx on audit_logs (created_at, id);
create index audit_logs_action_idx on audit_logs (action, created_at, id);
create index audit_logs_actor_idx on audit_logs (actor, created_at, id);
