// Turns the attempts of a measured run into the kinds of jobs that the simulation runs.
import { oneOf } from '../random.mjs';
import { answersAfter, failsAtFirst } from './site.mjs';

/** How long each kind waits for the site; the others do not. */
const SITE_WAIT = {
  ingest_media: (number) => answersAfter(number),
  save_images: (number) => answersAfter(number, true),
};
export const KINDS = ['ingest_media', 'embed_media', 'save_images', 'project_document'];

/** The retry of `ingest_media`: 5 seconds, and up to half of it more. */
const retryAfter = (random) => 5000 * (1 + 0.5 * random());

/**
 * Returns the kinds of jobs, from a run with little load, and how much threads of other programs slow a task down
 * (`slowdownPerThread`: 1 if each gets as much as the task).
 *
 * The run time of an attempt less the wait for the site is its work. The CPU time of a page is divided among its jobs in
 * proportion to their work. On a busy machine the work takes longer than its CPU time, and the rest of it is waiting. CPU time
 * beyond the work is used beside the jobs: for saves, claims, events and the site.
 */
export function fitModel({ attempts, pages, cpu_ms_per_page: cpu, threads_of_others: threads, cores }) {
  const known = attempts.filter(({ kind }) => KINDS.includes(kind));
  const workOf = ({ kind, number, runtime_ms }) => Math.max(0, runtime_ms - (SITE_WAIT[kind]?.(number) ?? 0));
  const perPage = known.reduce((sum, attempt) => sum + workOf(attempt), 0) / pages;
  const siteMs = known.reduce((sum, { kind, number }) => sum + (SITE_WAIT[kind]?.(number) ?? 0), 0) / pages;
  const inside = cpu.workers + cpu.postgresql;
  const fitting = Math.min(1, perPage / inside);
  const mostSlowdown = Math.max(1, perPage / inside);
  const slowdown = Math.min(mostSlowdown, Math.max(1, (1 + threads) / cores));
  const shares = {
    worker: (cpu.workers * fitting) / perPage,
    database: (cpu.postgresql * fitting) / perPage,
    wait: Math.max(0, 1 - (inside * slowdown) / perPage),
    beside: (inside * (1 - fitting) + cpu.others) / perPage,
  };
  const samples = (kind, status) =>
    known.filter((attempt) => attempt.kind === kind && attempt.status === status).map(workOf);
  const split = (work, siteMs) => ({
    waitMs: siteMs + work * shares.wait,
    workerMs: work * shares.worker,
    databaseMs: work * shares.database,
    besideMs: work * shares.beside,
  });
  const kindOf = (kind) => {
    const succeeded = samples(kind, 'succeeded');
    return {
      sample: ({ number }, _, random) => split(oneOf(random, succeeded), SITE_WAIT[kind]?.(number) ?? 0),
    };
  };
  const failed = samples('ingest_media', 'failed');
  const ingest = kindOf('ingest_media');
  return {
    slotMsPerPage: siteMs + perPage * (shares.wait + shares.worker + shares.database),
    slowdownPerThread: threads > 0 ? Math.max(0, Math.min(1, (slowdown * cores - 1) / threads)) : 1,
    kinds: {
      ingest_media: {
        usesProcess: true,
        next: ['embed_media', 'save_images', 'project_document'],
        sample(page, attempt, random) {
          if (attempt > 1 || !failsAtFirst(page.number)) return ingest.sample(page, attempt, random);
          const work = failed.length > 0 ? oneOf(random, failed) : 0;
          return { ...split(work, answersAfter(page.number)), retryMs: retryAfter(random) };
        },
      },
      embed_media: kindOf('embed_media'),
      save_images: kindOf('save_images'),
      // Its priority is lower than that of the others (src/features/graph/projection-job.ts).
      project_document: { ...kindOf('project_document'), priority: 3 },
    },
  };
}
