import { expect, test } from 'vitest';
import { signUpload, verifyUpload } from './signed-upload.ts';

const key = Buffer.from('one key');
const grant = { path: 'media/1/original.pdf', contentType: 'application/pdf', size: 5, expiresAt: 1000 };

test('a token returns its grant until it expires', () => {
  const token = signUpload(key, grant);
  expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  expect(verifyUpload(key, token, 999)).toEqual(grant);
  expect(verifyUpload(key, token, 1000)).toBeUndefined();
});

test('a token of another key, a forged grant and invalid text are refused', () => {
  const token = signUpload(key, grant);
  const [claims, signature] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...grant, size: 10 ** 9 })).toString('base64url');
  expect(verifyUpload(Buffer.from('another key'), token, 0)).toBeUndefined();
  for (const bad of [
    `${forged}.${signature}`,
    `${claims}.`,
    `${claims}`,
    '',
    '.',
    'x.y',
    `${claims}.${signature}x`,
  ]) {
    expect(verifyUpload(key, bad, 0)).toBeUndefined();
  }
});
