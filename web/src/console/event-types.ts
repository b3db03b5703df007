import type { EventType } from './types.ts';

/** What each event says, in a few words. The type keeps the list whole. */
export const EVENT_MEANINGS: Record<EventType, string> = {
  'media.created': 'something was saved',
  'media.ready': 'it can be read',
  'media.failed': 'it could not be made readable',
  'media.deleted': 'it is gone',
  'library.created': 'a library was made',
  'library.deleted': 'a library was deleted',
  'library.media_added': 'something was put into a library',
  'library.media_removed': 'something was taken out of a library',
  'library.member_added': 'somebody joined',
  'library.member_removed': 'somebody left or was removed',
  'library.ownership_transferred': 'a library has a new owner',
  'invitation.created': 'somebody was invited',
  'invitation.accepted': 'an invitation was accepted',
  'invitation.declined': 'an invitation was declined',
  'invitation.revoked': 'an invitation was taken back',
  'backfill.completed': 'a new member has what they joined for',
  'backfill.failed': 'a new member could not be given it',
  'job.succeeded': 'a public job succeeded',
  'job.failed': 'a public job failed',
  'job.cancelled': 'a public job was cancelled',
  'analysis.completed': 'an analysis is there',
  'webhook.disabled': 'an endpoint was given up on',
  'api_key.created': 'a key was made',
  'api_key.disabled': 'a key was disabled',
};

export const EVENT_TYPES = Object.keys(EVENT_MEANINGS) as EventType[];
