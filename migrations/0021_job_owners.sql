-- A job belongs to a person. created_by keeps the username of that moment, for showing.
alter table jobs add column created_by_user_id uuid;

update jobs
set created_by_user_id = person.user_id
from (
  select lower(username) as username, id as user_id from users
  union all
  select username, user_id from former_usernames
) as person
where person.username = lower(jobs.created_by);

-- An idempotency key belongs to whoever submitted the job. Jobs of Nexus itself, which have no creator, share a scope.
drop index jobs_idempotency_key;
create unique index jobs_idempotency_key
  on jobs (idempotency_key, job_type, created_by_user_id) nulls not distinct
  where idempotency_key is not null;

update outbox_event
set payload = outbox_event.payload || jsonb_build_object('created_by_user_id', jobs.created_by_user_id)
from jobs
where outbox_event.aggregate_type = 'job'
  and outbox_event.aggregate_id = jobs.id::text;
