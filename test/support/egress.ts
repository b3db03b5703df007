import { expect } from 'vitest';
import { EgressError } from '../../src/platform/egress/errors.ts';

/** The network of the local sites. */
export const LOOPBACK = ['127.0.0.0/8'];

/** Returns the code of the call's error, and whether a retry may succeed. */
export async function failure(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.fail('it did not fail'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(EgressError);
  const { code, isTransient, message, status, cause } = error as EgressError;
  expect(message).toMatch(/^[[A-Za-z0-9].*\.$/);
  return { code, isTransient, message, status, cause };
}
