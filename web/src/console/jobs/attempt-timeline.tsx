import { exactTime, timeOfDay } from '../../ui/dates.ts';
import { duration } from '../format.ts';
import type { Job, JobAttempt } from '../types.ts';
import { StatusBadge, useNow } from '../values.tsx';

/** The attempts of a job on a time scale: pale while the job was waiting, solid while it ran. */
export function AttemptTimeline({ job }: { job: Job }) {
  const now = useNow();
  const { attempts } = job;
  const [first] = attempts;
  if (!first) {
    return <p className="card muted">No attempts yet. {whyNot(job)}</p>;
  }
  const start = Date.parse(first.due_at ?? first.started_at);
  const end = Math.max(...attempts.map((attempt) => endOf(attempt, now)), start + 1);
  const place = (at: number) => ((at - start) / (end - start)) * 100;
  return (
    <div className="card console-timeline">
      <div className="console-timeline-scale small muted">
        <span>{exactTime(start)}</span>
        <span>{duration(end - start)}</span>
        <span>{timeOfDay(end)}</span>
      </div>
      <ol className="console-attempts">
        {attempts.map((attempt) => {
          const began = Date.parse(attempt.started_at);
          const due = attempt.due_at ? Math.min(began, Date.parse(attempt.due_at)) : began;
          return (
            <li key={attempt.attempt_number}>
              <div className="console-attempt-head">
                <b>Attempt {attempt.attempt_number}</b>
                <StatusBadge status={attempt.status} />
                <span className="small muted">
                  started {timeOfDay(began)}
                  {began - due >= 1 && `, after waiting ${duration(began - due)}`}
                  {attempt.runtime_ms !== null && `, ran ${duration(attempt.runtime_ms)}`}
                  {attempt.worker && `, on ${attempt.worker}`}
                </span>
              </div>
              <div className="console-track" aria-hidden>
                <span
                  className="console-bar console-bar-wait"
                  style={{ left: `${place(due)}%`, width: `${place(began) - place(due)}%` }}
                />
                <span
                  className={`console-bar console-bar-${attempt.status}`}
                  style={{
                    left: `min(${place(began)}%, 100% - 3px)`,
                    width: `${place(endOf(attempt, now)) - place(began)}%`,
                  }}
                />
              </div>
              {(attempt.error_text || attempt.error_code) && (
                <p className="console-error-text">
                  {attempt.error_code && <b>{attempt.error_code} </b>}
                  {attempt.error_text}
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function endOf({ finished_at, started_at }: JobAttempt, now: number): number {
  return finished_at ? Date.parse(finished_at) : Math.max(now, Date.parse(started_at));
}

function whyNot({ status, next_run_at }: Job): string {
  if (status === 'cancelled') return 'The job was cancelled.';
  if (Date.parse(next_run_at) > Date.now()) return `It is due at ${exactTime(next_run_at)}.`;
  return 'It is waiting for a worker of its queue.';
}
