import { z } from 'zod';
import { user, username } from './identity.ts';
import { mode } from './roles.ts';
import { id, text, timestamp } from './wire.ts';

const secret = z.string().min(1).max(1000);

const byPassword = z.strictObject({ username: text(1, 200), password: secret });
const byKey = z.strictObject({ api_key: secret });

/** The three ways of signing in. */
export const signIn = z.union(
  [byPassword, byKey, z.strictObject({ sign_in_token: secret })],
  'must have username and password, or api_key, or sign_in_token',
);
export type SignIn = z.output<typeof signIn>;

export const session = z.object({
  user: user.pick({ id: true, username: true, display_name: true, role: true }),
  default_library_id: id,
  has_password: z.boolean(),
  needs_onboarding: z
    .boolean()
    .describe('True for a user who signed in with a link and has no password yet.'),
  needs_current_password: z.boolean().describe('Whether changing the password requires the current one.'),
  can_set_password: z.boolean().describe('False for a user who has no password and signed in with a key.'),
  allowed_modes: z.array(mode),
});
export type Session = z.output<typeof session>;

export const updateMe = z
  .strictObject({ display_name: text(1, 200).optional(), username: username.optional() })
  .refine((change) => Object.keys(change).length > 0, 'must have at least one of display_name, username');

const MIN_PASSWORD_LENGTH = 10;

export const changePassword = z.strictObject({
  new_password: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .max(1000),
  current_password: secret.optional(),
});

/** The only response that contains the token of the link. */
export const createdSignInLink = z.object({
  url: z.string().describe('A path on this server when `NEXUS_PUBLIC_URL` is not configured.'),
  expires_at: timestamp,
});

/** The credentials for new tokens. The body is not needed when the key is sent as a header. */
export const tokenRequest = z
  .union([byPassword, byKey], 'must have username and password, or api_key')
  .nullish();
export const refreshRequest = z.strictObject({ refresh_token: secret });

export const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int().meta({ description: 'Lifetime of the access token in seconds.' }),
  refresh_token: z.string(),
});
export type Tokens = z.output<typeof tokens>;
