import { createControl } from './control/control.ts';
import type { JobType, JobTypes } from './job-type.ts';
import { createInline, type SharedParts } from './run/inline.ts';
import { createEndings, type OnJobsEnded } from './settle/endings.ts';

interface JobQueueOptions extends Omit<SharedParts, 'types' | 'endings'> {
  /** Called when jobs of public types end, in the transaction that ends them. */
  onJobsEnded?: OnJobsEnded;
}

export type JobQueue = ReturnType<typeof createJobQueue>;

/** Controls jobs and runs them inline. It exists before the features, and so before the job types that they contribute. */
export function createJobQueue({ onJobsEnded, ...options }: JobQueueOptions) {
  const types = new Map<string, JobType>();
  const endings = createEndings(types, onJobsEnded);
  const shared = { ...options, types, endings };
  const inline = createInline(shared);
  return {
    /** Runs a job in this process while the caller waits. */
    runInline: inline.run,
    control: createControl(options.sql, types, endings),
    /** The job types of every feature. Empty until the engine is created from them. */
    types: types as JobTypes,
    /** The parts that the engine shares with the queue. */
    shared,
    close: inline.close,
  };
}
