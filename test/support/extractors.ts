import { afterAll, expect } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import {
  createExtractors,
  type ExtractorOptions,
  type Extractors,
} from '../../src/features/media/extractors/extractors.ts';
import { createEgress } from '../../src/platform/egress/egress.ts';

/** Extractors that may reach loopback, where the sites of tests are. Errors that they report as bugs are collected. */
export function useExtractors(options: Partial<ExtractorOptions> = {}): Extractors & { bugs: Error[] } {
  const bugs: Error[] = [];
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const extractors = createExtractors({
    egress,
    processes: 1,
    onBug: (error) => bugs.push(error),
    ...options,
  });
  afterAll(() => extractors.close());
  return { ...extractors, bugs };
}

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    () => expect.fail('it did not fail'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  expect(error.message).toMatch(/\.$/);
  return error;
}
