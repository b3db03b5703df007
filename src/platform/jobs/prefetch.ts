import type { LeasedJob } from './claim.ts';

/** At most this many jobs are asked for at once. */
const LARGEST_CLAIM = 3000;
/** Jobs are claimed ahead for as long as this at the present rate, so that slots do not wait for the database. */
const AHEAD_MS = 100;
/** The rate is measured over at least this long. */
const SHORTEST_MEASURE_MS = 5;

/** What has been claimed and not begun, and how much of it there should be. */
export class Prefetch {
  #jobs: LeasedJob[] = [];
  #next = 0;
  #heldSince = 0;
  /** Jobs begun per millisecond, smoothed. */
  #rate = 0;
  #begun = 0;
  #measuredAt = performance.now();

  get size(): number {
    return this.#jobs.length - this.#next;
  }

  /** How many more to claim for `slots` free slots. Below half of what the present rate needs, it is filled up. */
  missing(slots: number): number {
    const target = Math.min(LARGEST_CLAIM, Math.ceil(this.#rate * AHEAD_MS));
    return Math.max(0, slots - this.size, this.size < target / 2 ? target - this.size : 0);
  }

  add(jobs: LeasedJob[]): void {
    if (this.size === 0) this.#heldSince = performance.now();
    this.#jobs = [...this.#jobs.slice(this.#next), ...jobs];
    this.#next = 0;
    this.#measure();
  }

  take(): LeasedJob | undefined {
    const job = this.#jobs[this.#next];
    if (!job) return undefined;
    this.#next += 1;
    this.#begun += 1;
    this.#heldSince = performance.now();
    return job;
  }

  /** How long nothing has been taken of what is there. */
  heldMs(): number {
    return this.size === 0 ? 0 : performance.now() - this.#heldSince;
  }

  /** Empties it, and forgets the rate that it was filled for. */
  clear(): LeasedJob[] {
    const jobs = this.#jobs.slice(this.#next);
    this.#jobs = [];
    this.#next = 0;
    this.#rate = 0;
    return jobs;
  }

  #measure(): void {
    const now = performance.now();
    const elapsed = now - this.#measuredAt;
    if (elapsed < SHORTEST_MEASURE_MS) return;
    const current = this.#begun / elapsed;
    this.#rate = this.#rate === 0 ? current : this.#rate * 0.6 + current * 0.4;
    this.#measuredAt = now;
    this.#begun = 0;
  }
}
