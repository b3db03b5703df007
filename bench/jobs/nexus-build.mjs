import { pathToFileURL } from 'node:url';

/** The build of Nexus that is measured: the checkout's, or the one that NEXUS_BENCH_DIST names. */
const DIST = process.env.NEXUS_BENCH_DIST
  ? pathToFileURL(`${process.env.NEXUS_BENCH_DIST}/`)
  : new URL('../../dist/', import.meta.url);

/** Loads a module of the built Nexus: `importNexus('platform/jobs/engine.js')`. */
export function importNexus(module) {
  return import(new URL(module, DIST).href);
}
