import { pathToFileURL } from 'node:url';

/** The checkout of Nexus that is measured: this one, or the one that NEXUS_BENCH_CHECKOUT names. */
const CHECKOUT = process.env.NEXUS_BENCH_CHECKOUT
  ? pathToFileURL(`${process.env.NEXUS_BENCH_CHECKOUT}/`)
  : new URL('../../', import.meta.url);

/** Loads a module of the sources of Nexus: `importNexus('platform/jobs/engine.ts')`. */
export function importNexus(module) {
  return import(new URL(`src/${module}`, CHECKOUT).href);
}
