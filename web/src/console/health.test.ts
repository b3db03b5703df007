import { expect, test } from 'vitest';
import { checkFailures } from './health.ts';
import type { JobFailure } from './types.ts';

const failure = (error_code: string, failed_count: number, job_type = 'ingest_media') =>
  ({ job_type, error_code, failed_count, retrying_count: 0 }) as JobFailure;

const checkOf = (...failures: JobFailure[]) => checkFailures(failures);

test("readers' dead links are counted, and raise no alarm", () => {
  expect(checkOf(failure('E_PAGE_NOT_FOUND', 40), failure('E_DNS_FAILED', 3))).toMatchObject({
    state: 'ok',
    message: '43 saved links could not be read.',
  });
});

test('many sites that cannot be reached may be a fault of this server', () => {
  expect(checkOf(failure('E_DNS_FAILED', 12), failure('E_TIMEOUT', 8))).toMatchObject({
    state: 'warning',
    message: 'The sites of 20 saved links could not be reached. Check the network of this server.',
  });
});

test("failures of Nexus's own work are an alarm, dead links or not", () => {
  expect(checkOf(failure('E_EXTRACTION_FAILED', 2), failure('E_PAGE_GONE', 9))).toMatchObject({
    state: 'warning',
    message: '2 jobs failed in the last 24 hours, mostly ingest_media with E_EXTRACTION_FAILED.',
  });
  expect(checkOf(failure('E_TIMEOUT', 1, 'analyze'))).toMatchObject({ state: 'warning' });
});
