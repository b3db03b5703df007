import type { EventType } from './types.ts';

/** A short description of each event type. The type keeps the list complete. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'media.created': 'an item was saved',
  'media.status_changed': 'the processing status of an item changed',
  'media.ready': 'an item is ready to read',
  'media.failed': 'processing of an item failed',
  'media.deleted': 'an item was deleted',
  'media.projected': 'the related documents of an item were updated',
  'library.created': 'a library was created',
  'library.renamed': 'a library was renamed',
  'library.deleted': 'a library was deleted',
  'library.media_added': 'an item was added to a library',
  'library.media_removed': 'an item was removed from a library',
  'library.member_added': 'a member joined a library',
  'library.member_removed': 'a member left a library or was removed',
  'library.member_role_changed': 'the role of a member changed',
  'library.ownership_transferred': 'a library has a new owner',
  'invitation.created': 'a person was invited',
  'invitation.accepted': 'an invitation was accepted',
  'invitation.declined': 'an invitation was declined',
  'invitation.revoked': 'an invitation was cancelled',
  'backfill.completed': 'a new member has all items of a library',
  'backfill.failed': 'the items of a library could not be given to a new member',
  'job.succeeded': 'a job succeeded',
  'job.failed': 'a job failed',
  'job.cancelled': 'a job was cancelled',
  'analysis.completed': 'an analysis is complete',
  'analysis.compared': 'the comparison of an analysis has ended',
  'webhook.disabled': 'a webhook was disabled',
  'api_key.created': 'an API key was created',
  'api_key.disabled': 'an API key was disabled',
};

export const EVENT_TYPES = Object.keys(EVENT_DESCRIPTIONS) as EventType[];
