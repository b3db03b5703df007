import { NexusError } from '../../../contract/errors.ts';
import type { MediaKind } from '../../../contract/media.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { mediaNotFound } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import * as store from '../store.ts';

/** Returns the kind of a readable media that has text; throws otherwise. */
export async function requireDocument(sql: Queryable, viewer: Viewer, mediaId: string): Promise<MediaKind> {
  const { kind, has_text } = (await store.findDocument(sql, viewer, mediaId)) ?? mediaNotFound();
  return has_text ? kind : documentHasNoText();
}

export function documentHasNoText(): never {
  throw new NexusError('E_INVALID_STATE', 'The document has no text yet. Wait until it is readable.');
}

/** Returns a readable media with the text of its fragments. */
export async function readDocument(sql: Queryable, viewer: Viewer, mediaId: string) {
  const kind = await requireDocument(sql, viewer, mediaId);
  return { id: mediaId, kind, fragments: await store.listTexts(sql, mediaId) };
}
