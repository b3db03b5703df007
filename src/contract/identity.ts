import { z } from 'zod';
import { mode, role } from './roles.ts';
import { id, listQuery, page, text, timestamp } from './wire.ts';

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
  disabled_at: timestamp.nullable(),
  /** Null: the configured default. 0: no limit. */
  storage_quota_mb: z.number().int().nullable(),
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
    disabled: z.boolean().optional(),
    display_name: text(1, 200).optional(),
    storage_quota_mb: z.number().int().min(0).max(100_000_000).nullable().optional(),
  })
  .refine(
    (change) => Object.keys(change).length > 0,
    'must have at least one of role, disabled, display_name, storage_quota_mb',
  );

/** The fields of a user that every user may see. */
export const person = user.pick({ id: true, username: true, display_name: true });
export type Person = z.output<typeof person>;
export const peopleQuery = z.object({ prefix: text(2, 100) });
export const people = z.object({ data: z.array(person) });

export const userList = z.object({
  users: z.array(user),
  page,
  default_role: role.meta({ description: 'The role of new users when none is given.' }),
});

export const apiKey = z.object({
  id,
  user_id: id,
  owner: z.string(),
  name: z.string(),
  prefix: z.string(),
  role,
  enabled: z.boolean(),
  raw_mode_enabled: z.boolean(),
  /** Null: the default of the role. */
  requests_per_minute: z.number().int().nullable(),
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
});
export type ApiKey = z.output<typeof apiKey>;

export const createApiKey = z
  .strictObject({
    user_id: id.optional(),
    username: username.optional(),
    name: text(1, 100).default('key'),
    role: role.optional(),
    raw_mode_enabled: z.boolean().default(false),
    requests_per_minute: z.number().int().min(1).max(1_000_000).optional(),
    expires_at: timestamp.optional(),
  })
  .refine(
    (body) => (body.user_id === undefined) !== (body.username === undefined),
    'must have either user_id or username',
  );

/** The only response that contains the key itself. */
export const createdApiKey = apiKey.extend({ key: z.string() });

export const apiKeyListQuery = listQuery.extend({ user_id: id.optional() });
export const apiKeyList = z.object({ api_keys: z.array(apiKey), page });

/** The authenticated caller of a request, and what they may do. */
export const principal = z.object({
  /** Null when the caller signed in with a password or a link. */
  api_key_id: id.nullable(),
  owner: z.string(),
  role,
  raw_mode_enabled: z.boolean(),
  allowed_modes: z.array(mode),
  user_id: id,
  default_library_id: id,
});

export interface Principal extends z.output<typeof principal> {
  /** Null when the caller sent an API key. */
  session_id: string | null;
  requests_per_minute: number;
}

export const me = z.object({
  data: user.pick({
    id: true,
    username: true,
    display_name: true,
    role: true,
    default_library_id: true,
    created_at: true,
  }),
});

export const featureList = z.object({
  features: z.array(z.object({ feature: z.string(), minimum_role: role, enabled: z.boolean() })),
});
