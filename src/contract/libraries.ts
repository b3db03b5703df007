import { z } from 'zod';
import { person, username } from './identity.ts';
import { media } from './media.ts';
import { libraryTags, tagName, tagNames } from './mine.ts';
import { id, listQuery, timestamp } from './wire.ts';

/** A member's role in one library. It is independent of the user's role in Nexus. */
export const libraryRole = z
  .enum(['admin', 'contributor', 'member'])
  .describe(
    '`admin`: manages the library. `contributor`: adds media, and removes those that they added. `member`: reads.',
  );
export type LibraryRole = z.infer<typeof libraryRole>;

/** A role in a request. `reader` is another name of `member`; answers say `member`, as they always have. */
const givenLibraryRole = z
  .enum([...libraryRole.options, 'reader'])
  .transform((role): LibraryRole => (role === 'reader' ? 'member' : role))
  .describe('`reader` and `member` are the same.');

/** A library as one of its members sees it. */
export const library = z.object({
  id,
  name: z.string(),
  owner_user_id: id,
  is_default: z.boolean(),
  role: libraryRole,
  created_at: timestamp,
  updated_at: timestamp,
  media_count: z.number().int(),
  unread_count: z.number().int().describe('The number of media that the viewer has not started to read.'),
});
export type Library = z.output<typeof library>;

/** The service checks the length, because it has an error code of its own. */
export const libraryName = z.strictObject({
  name: z.string().meta({ description: '1 to 100 characters. Leading and trailing white space is removed.' }),
});

export const addLibraryMedia = z.strictObject({ media_id: id });
export const addedLibraryMedia = z.object({ library_id: id, media_id: id, created: z.boolean() });

/** In a default library, `added_by_user_id` is the owner for media that they saved, and null for other media. */
export const libraryMedia = media.extend({
  added_by_user_id: id.nullable(),
  library_tags: libraryTags,
});
export type LibraryMedia = z.output<typeof libraryMedia>;

export const libraryMediaQuery = listQuery.extend({
  tag: tagName.optional().describe('Only media that have this tag of the library, or one below it.'),
});

export const editLibraryMedia = z
  .strictObject({ tags: tagNames })
  .meta({ examples: [{ tags: ['oceans/tides'] }] });
export const taggedLibraryMedia = z.object({
  library_id: id,
  media_id: id,
  library_tags: libraryTags,
});

export type TaggedLibraryMedia = z.output<typeof taggedLibraryMedia>;

export const libraryTag = z.object({ name: z.string(), media_count: z.int() });
/** Tags of a library have no ids. The name is not a part of the path, because it may contain slashes. */
export const libraryTagQuery = z.object({
  tag: tagName.describe('The name of the tag. Upper and lower case are the same.'),
});
export type LibraryTag = z.output<typeof libraryTag>;

export const provenance = z.object({
  media_id: id,
  saved_at: timestamp.nullable().describe('When the viewer saved it themselves; null when they did not.'),
  libraries: z.array(
    z.object({
      library_id: id,
      name: z.string(),
      added_at: timestamp,
      added_by: person.nullable(),
    }),
  ),
});
export type Provenance = z.output<typeof provenance>;

export const member = z.object({
  user_id: id,
  username: z.string(),
  display_name: z.string(),
  role: libraryRole,
  is_owner: z.boolean(),
  created_at: timestamp,
});
export type Member = z.output<typeof member>;

export const changeMember = z.strictObject({ role: givenLibraryRole });
export const transferOwnership = z.strictObject({ new_owner_user_id: id });

/** A media that a member could still read after leaving the library, and why. */
export const keptMedia = z.object({
  media_id: id,
  title: z.string(),
  saved: z.boolean(),
  libraries: z
    .array(z.object({ library_id: id, name: z.string() }))
    .describe('Other libraries that contain it, of which both the member and the caller are members.'),
  other_library_count: z
    .number()
    .int()
    .describe('The number of further libraries, of which the caller is not a member.'),
});
export type KeptMedia = z.output<typeof keptMedia>;

export const removalPreview = z.object({
  library_id: id,
  user_id: id,
  lost_count: z.number().int(),
  kept_count: z.number().int(),
  highlights: z.object({
    by_member: z.int().describe('Highlights that the member shares with the library. They become private.'),
    by_others: z
      .int()
      .describe('Highlights that others share with it. The member no longer sees them there.'),
  }),
  kept: z.array(keptMedia),
});

export const invitationStatus = z.enum(['pending', 'accepted', 'declined', 'revoked']);
export type InvitationStatus = z.infer<typeof invitationStatus>;

export const invitation = z.object({
  id,
  library_id: id,
  library_name: z
    .string()
    .describe(
      'The name now while the invitation is pending; otherwise the name when it was answered or revoked.',
    ),
  inviter_user_id: id,
  inviter_username: z.string(),
  invitee_user_id: id,
  invitee_username: z.string(),
  role: libraryRole,
  status: invitationStatus,
  created_at: timestamp,
  responded_at: timestamp.nullable(),
});
export type Invitation = z.output<typeof invitation>;

export const createInvitation = z
  .strictObject({
    invitee_user_id: id.optional(),
    invitee_username: username.optional(),
    role: givenLibraryRole.default('member'),
  })
  .refine(
    (body) => (body.invitee_user_id === undefined) !== (body.invitee_username === undefined),
    'must have either invitee_user_id or invitee_username',
  );

export const invitationQuery = listQuery.extend({
  status: invitationStatus.default('pending').describe('Lists only invitations with this status.'),
});

export const membership = z.object({
  library_id: id,
  user_id: id,
  role: libraryRole,
  created_at: timestamp,
});
export type Membership = z.output<typeof membership>;

export const backfillStatus = z.enum(['pending', 'running', 'completed', 'failed']);
export type BackfillStatus = z.infer<typeof backfillStatus>;

export const acceptedInvitation = z.object({
  invite: invitation,
  membership: membership
    .nullable()
    .describe('Null when the invitation was accepted before and the person has left the library since.'),
  idempotent: z.boolean(),
  backfill_job_status: backfillStatus.nullable(),
});

export const declinedInvitation = z.object({ invite: invitation, idempotent: z.boolean() });

/** Identifies a backfill: the default library, the library that it is filled from, and the user. */
export const backfillKey = z.strictObject({
  default_library_id: id,
  source_library_id: id,
  user_id: id,
});
export type BackfillKey = z.output<typeof backfillKey>;

export const backfillJob = backfillKey.extend({
  status: backfillStatus,
  attempts: z.number().int(),
  last_error_code: z.string().nullable(),
  updated_at: timestamp,
  finished_at: timestamp.nullable(),
});
export type BackfillJob = z.output<typeof backfillJob>;

export const requeuedBackfillJob = backfillJob.extend({
  idempotent: z.boolean(),
  enqueue_dispatched: z.boolean(),
});
export type RequeuedBackfillJob = z.output<typeof requeuedBackfillJob>;

export const listedBackfillJob = backfillJob.extend({
  username: z.string(),
  source_library_name: z
    .string()
    .nullable()
    .describe('Null for operators who are not members of the library.'),
  due_at: timestamp,
  job_id: id.nullable(),
  created_at: timestamp,
});
export type ListedBackfillJob = z.output<typeof listedBackfillJob>;

export const backfillJobQuery = listQuery.extend({
  status: backfillStatus.optional().describe('Lists only backfills with this status.'),
});

export const backfillHealth = z.object({
  pending_count: z.number().int(),
  pending_age_p95_seconds: z.number(),
  degraded: z.boolean(),
});
export type BackfillHealth = z.output<typeof backfillHealth>;
