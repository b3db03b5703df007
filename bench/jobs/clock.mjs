/**
 * Milliseconds of the machine's monotonic clock. Its zero is the same for every process, so what one process reads can
 * be taken from what another reads.
 */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
