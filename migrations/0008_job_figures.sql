-- What operators ask of attempts: in which queue it was, and when it was due. With started_at that says how long the job
-- waited for a worker. Both are unknown of older attempts.
--
-- An error's words without what differs from one occurrence to the next (ids, addresses, hashes, long numbers; short
-- numbers stay, they say what happened) are the same for all jobs that failed in the same way. That is worked out when
-- the attempt is written: for 50,000 failures it takes two seconds.
alter table job_attempts
  add column queue text,
  add column due_at timestamptz,
  add column failure_id uuid generated always as (
    md5(
      coalesce(error_code, '') || E'\n' || regexp_replace(
        left(error_text, 300),
        '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|https?://[^\s"''<>]+|[0-9a-f]{16,}|[0-9]{4,}',
        '…',
        'g'
      )
    )::uuid
  ) stored;

-- For what happened lately. Attempts are written in the order in which they end, so the range of times in each few
-- blocks finds them; unlike a B-tree, it costs next to nothing for every attempt that is written.
create index job_attempts_finished_at_idx on job_attempts
  using brin (finished_at) with (pages_per_range = 16, autosummarize = on);
