import { createHmac, timingSafeEqual } from 'node:crypto';

/** The upload that a token allows. */
interface UploadGrant {
  path: string;
  contentType: string;
  size: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Creates a token for uploads through Nexus. Like a presigned S3 URL, it needs no other credentials. */
export function signUpload(key: Uint8Array, grant: UploadGrant): string {
  const claims = Buffer.from(JSON.stringify(grant)).toString('base64url');
  return `${claims}.${signature(key, claims)}`;
}

/** Returns the grant of a token; undefined when the signature is invalid or the token has expired. */
export function verifyUpload(key: Uint8Array, token: string, now: number): UploadGrant | undefined {
  const [claims = '', given = ''] = token.split('.');
  const [a, b] = [Buffer.from(given), Buffer.from(signature(key, claims))];
  if (a.length !== b.length || !timingSafeEqual(a, b)) return undefined;
  const grant = JSON.parse(Buffer.from(claims, 'base64url').toString()) as UploadGrant;
  return now < grant.expiresAt ? grant : undefined;
}

/** The prefix separates these signatures from others with the same key. */
function signature(key: Uint8Array, claims: string): string {
  return createHmac('sha256', key).update(`upload\n${claims}`).digest('base64url');
}
