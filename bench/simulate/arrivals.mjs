// Arrivals of pages.
import { exponential, seeded } from '../random.mjs';

/** Pages that arrive independently of each other (a Poisson process), for so many seconds. */
export function poissonArrivals({ perSecond, seconds, seed, firstNumber = 0 }) {
  const random = seeded(seed);
  const pages = [];
  for (
    let at = exponential(random, 1000 / perSecond);
    at < seconds * 1000;
    at += exponential(random, 1000 / perSecond)
  )
    pages.push({ at, number: firstNumber + pages.length });
  return pages;
}
