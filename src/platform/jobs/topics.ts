/** There may be work; the subjects are queues. */
export const JOBS_QUEUED = 'jobs';
/** Jobs were cancelled while they ran; the subjects are their ids. */
export const JOBS_CANCELLED = 'cancelled_jobs';
