import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the bearer of a token may put, and until when. */
export interface UploadGrant {
  path: string;
  contentType: string;
  size: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A token for uploads that go through Nexus: whoever has it needs no other credential, as with a store's own. */
export function signUpload(key: Uint8Array, grant: UploadGrant): string {
  const claims = Buffer.from(JSON.stringify(grant)).toString('base64url');
  return `${claims}.${signature(key, claims)}`;
}

/** The grant, or undefined when the token was not made with this key or is too old. */
export function verifyUpload(key: Uint8Array, token: string, now: number): UploadGrant | undefined {
  const [claims = '', given = ''] = token.split('.');
  const [a, b] = [Buffer.from(given), Buffer.from(signature(key, claims))];
  if (a.length !== b.length || !timingSafeEqual(a, b)) return undefined;
  const grant = JSON.parse(Buffer.from(claims, 'base64url').toString()) as UploadGrant;
  return now < grant.expiresAt ? grant : undefined;
}

/** Named, so that a signature made with the same key for something else is none here. */
function signature(key: Uint8Array, claims: string): string {
  return createHmac('sha256', key).update(`upload\n${claims}`).digest('base64url');
}
