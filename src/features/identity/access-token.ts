import { errors, jwtVerify, SignJWT } from 'jose';
import type { Principal } from '../../contract/identity.ts';
import { newId } from '../../platform/ids.ts';

const ISSUER = 'nexus';
const ALGORITHM = 'HS256';
const TYPE = 'at+jwt';

export const ACCESS_TOKEN_SECONDS = 15 * 60;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Short-lived JWTs that programs send instead of an API key. */
export function createAccessTokens(secret: () => Promise<Uint8Array>) {
  return {
    async write({ user_id, session_id, role, allowed_modes }: Principal): Promise<string> {
      return new SignJWT({ role, modes: allowed_modes, sid: session_id })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(ISSUER)
        .setSubject(user_id)
        .setJti(newId())
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(await secret());
    },

    /** Returns the session id of a token; undefined when the token is invalid or expired. */
    async read(token: string): Promise<string | undefined> {
      const key = await secret();
      const options = {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        typ: TYPE,
        requiredClaims: ['sub', 'sid', 'exp', 'jti'],
      };
      const verified = await jwtVerify(token, key, options).catch(undefinedIfInvalid);
      const sid = verified?.payload.sid;
      return typeof sid === 'string' ? sid : undefined;
    },
  };
}

function undefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof errors.JOSEError)) throw error;
}
