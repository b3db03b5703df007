// Random numbers that a seed repeats.

/** Returns a source of numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An exponentially distributed number with this mean. */
export const exponential = (random, mean) => -mean * Math.log(1 - random());

/** A log-normally distributed number; `spread` is the standard deviation of its logarithm. */
export function logNormal(random, median, spread) {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}

export const oneOf = (random, values) => values[Math.floor(random() * values.length)];
