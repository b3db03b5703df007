// A simulated worker: it claims, holds and runs jobs as src/platform/work/loop.ts and intake.ts do.

const LARGEST_CLAIM = 3000;
const LONGEST_HOLD_MS = 500;
const SHORTEST_MEASURE_MS = 5;

/**
 * `claim(want)` takes up to so many due jobs from the queue and calls back with them when the database has answered.
 * `run(job, done)` runs one.
 */
export function createWorker({ clock, slots, aheadMs, claim, run, release }) {
  let held = [];
  let heldSince = 0;
  let running = 0;
  let isClaiming = false;
  let mayHaveWork = true;
  let wasWoken = true;
  let rate = 0;
  let begun = 0;
  let measuredAt = 0;

  function wanted() {
    const target = Math.min(LARGEST_CLAIM, Math.ceil(rate * aheadMs));
    const forAhead = held.length < target / 2 ? target - held.length : 0;
    return Math.max(0, slots - running - held.length, forAhead);
  }

  function measure() {
    const elapsed = clock.now() - measuredAt;
    if (elapsed < SHORTEST_MEASURE_MS) return;
    const current = begun / elapsed;
    rate = rate === 0 ? current : rate * 0.6 + current * 0.4;
    measuredAt = clock.now();
    begun = 0;
  }

  function advance() {
    while (running < slots && held.length > 0) begin(held.shift());
    if (isClaiming || !mayHaveWork) return;
    const want = wanted();
    if (want === 0) return;
    isClaiming = true;
    wasWoken = false;
    claim(want, (jobs) => {
      isClaiming = false;
      mayHaveWork = jobs.length === want || wasWoken;
      if (jobs.length > 0) {
        if (held.length === 0) heldSince = clock.now();
        held.push(...jobs);
        clock.at(clock.now() + LONGEST_HOLD_MS, releaseHeld);
      }
      measure();
      advance();
    });
  }

  function begin(job) {
    running += 1;
    begun += 1;
    heldSince = clock.now();
    run(job, () => {
      running -= 1;
      advance();
    });
  }

  function releaseHeld() {
    if (held.length === 0 || clock.now() - heldSince < LONGEST_HOLD_MS) return;
    const jobs = held;
    held = [];
    rate = 0;
    release(jobs);
  }

  return {
    wake() {
      mayHaveWork = true;
      wasWoken = true;
      if (!isClaiming) advance();
    },
  };
}
