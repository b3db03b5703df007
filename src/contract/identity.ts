import { z } from 'zod';
import { mode, role, scope } from './roles.ts';
import { id, listOf, listQuery, text, timestamp } from './wire.ts';

export const username = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$/,
    'must have 1 to 128 letters, digits or . _ @ + -, and begin with a letter or digit',
  );

export const user = z.object({
  id,
  username: z.string(),
  display_name: z.string(),
  role,
  default_library_id: id,
  is_enabled: z.boolean(),
  disabled_at: timestamp.nullable(),
  storage_quota_mb: z.number().int().nullable().describe('Null: the configured default. 0: no limit.'),
  created_at: timestamp,
});
export type User = z.output<typeof user>;

export const createUser = z.strictObject({
  username,
  display_name: text(1, 200).optional(),
  role: role.optional().meta({ description: 'Default: NEXUS_DEFAULT_ROLE.' }),
});

export const updateUser = z
  .strictObject({
    role: role.optional(),
    is_enabled: z.boolean().optional(),
    display_name: text(1, 200).optional(),
    storage_quota_mb: z.number().int().min(0).max(100_000_000).nullable().optional(),
  })
  .refine(
    (change) => Object.keys(change).length > 0,
    'must have at least one of role, is_enabled, display_name, storage_quota_mb',
  );

/** The fields of a user that every user may see. */
export const person = user.pick({ id: true, username: true, display_name: true });
export type Person = z.output<typeof person>;
export const peopleQuery = z.object({
  prefix: text(2, 100).describe('How the username or the display name begins.'),
});

export const userList = listOf(user).extend({
  default_role: role.meta({ description: 'The role of new users when none is given.' }),
});

export const apiKey = z.object({
  id,
  user_id: id,
  owner: z.string(),
  name: z.string(),
  prefix: z.string(),
  role,
  is_enabled: z.boolean(),
  raw_mode_enabled: z.boolean(),
  scopes: z.array(scope).nullable().describe('Null: everything that its role allows.'),
  requests_per_minute: z.number().int().nullable().describe('Null: the default of the role.'),
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
});
export type ApiKey = z.output<typeof apiKey>;

const scopes = z
  .array(scope)
  .min(1)
  .max(4)
  .refine((given) => given.includes('read') || given.includes('write'), 'must contain read or write');

/** A key that a person makes for themselves. */
export const createMyApiKey = z.strictObject({
  name: text(1, 100),
  scopes: scopes.describe('`operate` and `admin` never give more rights than your own role.'),
  expires_at: timestamp.optional(),
});

export const createApiKey = z
  .strictObject({
    user_id: id.optional(),
    username: username.optional(),
    name: text(1, 100).default('key'),
    role: role.optional(),
    raw_mode_enabled: z.boolean().default(false),
    scopes: scopes.optional(),
    requests_per_minute: z.number().int().min(1).max(1_000_000).optional(),
    expires_at: timestamp.optional(),
  })
  .refine(
    (body) => (body.user_id === undefined) !== (body.username === undefined),
    'must have either user_id or username',
  );

/** The only response that contains the key itself. */
export const createdApiKey = apiKey.extend({ key: z.string() });

export const apiKeyListQuery = listQuery.extend({
  user_id: id.optional().describe('Lists the keys of this user only.'),
});

/** The authenticated caller of a request, and what they may do. */
export const principal = z.object({
  api_key_id: id.nullable().describe('Null when the caller signed in with a password or a link.'),
  owner: z.string(),
  role,
  raw_mode_enabled: z.boolean(),
  allowed_modes: z.array(mode),
  scopes: z
    .array(scope)
    .nullable()
    .describe('What the key may be used for; null: everything that its role allows.'),
  user_id: id,
  default_library_id: id,
});

export interface Principal extends z.output<typeof principal> {
  /** Null when the caller sent an API key. */
  session_id: string | null;
  requests_per_minute: number;
}

export const me = user.pick({
  id: true,
  username: true,
  display_name: true,
  role: true,
  default_library_id: true,
  created_at: true,
});

export const feature = z.object({
  feature: z.string(),
  minimum_role: role,
  is_enabled: z.boolean().describe('Whether the caller may use it.'),
});
