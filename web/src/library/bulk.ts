import { apiUrl, request } from '../api/client.ts';
import type { Answer, MediaChange, MediaChanged } from '../api/types.ts';
import type { ListParams } from './list-params.ts';

/** Everything that a list contains, including what is not loaded. */
export interface WholeList {
  libraryId: string;
  params: ListParams;
  total: number;
}

export type Action = Pick<MediaChange, 'action' | 'library_id' | 'tags'>;
export type Outcome = Omit<MediaChanged, 'next_cursor'>;

/** The most media of one request. */
const MOST_CHANGED = 200;

/** Changes the given media. Up to 200 are one request. With `keepalive`, all requests are sent at once: nothing waits on a page that is left. */
export async function changeMany(
  action: Action,
  ids: readonly string[],
  { keepalive = false } = {},
): Promise<Outcome> {
  const total = nothing();
  const sent: Promise<MediaChanged>[] = [];
  for (let start = 0; start < ids.length; start += MOST_CHANGED) {
    const part = send({ ...action, media_ids: ids.slice(start, start + MOST_CHANGED) }, keepalive);
    if (!keepalive) await part;
    sent.push(part);
  }
  for (const done of await Promise.all(sent)) add(total, done);
  return total;
}

/** Changes everything that a list contains. The server finds it, 200 at a time. */
export async function changeAll(action: Action, { libraryId, params }: WholeList): Promise<Outcome> {
  const { sort: _, order: __, ...filters } = params;
  const filter = { ...filters, library_id: libraryId };
  const total = nothing();
  for (let cursor: string | undefined; ; ) {
    const done = await send({ ...action, filter, cursor });
    add(total, done);
    if (done.next_cursor === null) return total;
    cursor = done.next_cursor;
  }
}

async function send(body: MediaChange, keepalive = false): Promise<MediaChanged> {
  const options = { body, keepalive };
  return (await request<Answer<MediaChanged>>('POST', apiUrl('/media/bulk'), options)).data;
}

const nothing = (): Outcome => ({ changed: 0, changed_media: [], unchanged: 0, not_found: 0 });

function add(total: Outcome, done: Outcome): void {
  total.changed_media.push(...done.changed_media);
  total.changed += done.changed;
  total.unchanged += done.unchanged;
  total.not_found += done.not_found;
}
