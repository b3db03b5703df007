import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { closeStream, onStreamEvent, openStream, type StreamEvent, streamState } from '../api/events.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import { isCached, refreshMedia } from '../library/media-list.ts';
import { sessionQuery } from '../session/session.ts';

/** Events are gathered for this long, so that a burst of them causes one refetch. */
const GATHER_MS = 150;
/** The shortest time between two refetches, for imports that send events for minutes. */
const PAUSE_MS = 500;
/** The shortest time between two counts of the matches of saved searches, which are expensive. */
const RECOUNT_MS = 5000;
/** Beyond this many changed media, lists are refetched instead of their items, and all cached items become stale. */
const MAX_ITEMS = 20;

/** The query keys whose data an event makes stale. */
function staleKeys(event: StreamEvent, userId: string | undefined): QueryKey[] {
  switch (event.type) {
    case 'media.status_changed':
      return [queryKeys.attempts(event.data.media_id)];
    case 'media.ready':
    case 'media.failed':
      return [
        queryKeys.mediaLists(),
        queryKeys.attempts(event.data.media_id),
        queryKeys.libraries(),
        queryKeys.sites(),
      ];
    case 'media.created':
    case 'media.deleted':
    case 'library.media_added':
    case 'library.media_removed':
      return [
        queryKeys.mediaLists(),
        queryKeys.oneMedia(event.data.media_id),
        queryKeys.provenance(event.data.media_id),
        queryKeys.libraries(),
        queryKeys.sites(),
        queryKeys.trash(),
        queryKeys.storage(),
        queryKeys.jobProgress(),
        queryKeys.ruleRuns(),
        queryKeys.libraryTags(),
      ];
    case 'media.tagged':
      return [
        queryKeys.tags(),
        queryKeys.mediaLists(),
        queryKeys.oneMedia(event.data.media_id),
        queryKeys.ruleRuns(),
      ];
    case 'library.media_tagged':
      return [queryKeys.mediaLists(), queryKeys.libraryTags(event.data.library_id)];
    case 'media.titled':
    case 'media.noted':
      return [queryKeys.mediaLists(), queryKeys.oneMedia(event.data.media_id), queryKeys.searches()];
    case 'media.archived':
    case 'media.favourited':
      return [
        queryKeys.mediaLists(),
        queryKeys.oneMedia(event.data.media_id),
        queryKeys.libraries(),
        queryKeys.ruleRuns(),
      ];
    case 'highlight.created':
    case 'highlight.updated':
    case 'highlight.shared':
    case 'highlight.deleted':
      return [queryKeys.highlights()];
    case 'reply.created':
      return [queryKeys.highlights(), queryKeys.replies(event.data.highlight_id)];
    case 'rule.matched':
      return [queryKeys.ruleNotifications(), queryKeys.ruleRuns()];
    case 'rule.run_ended':
      return [queryKeys.ruleRuns()];
    case 'media.projected':
      return [queryKeys.related()];
    case 'library.member_removed':
      return event.data.user_id === userId ? afterLosingAccess() : afterMembershipChange();
    case 'library.deleted':
      return afterLosingAccess();
    case 'library.created':
    case 'library.renamed':
    case 'library.member_added':
    case 'library.member_role_changed':
    case 'library.ownership_transferred':
    case 'backfill.completed':
    case 'backfill.failed':
      return [...afterMembershipChange(), queryKeys.mediaLists()];
    case 'invitation.created':
    case 'invitation.accepted':
    case 'invitation.declined':
    case 'invitation.revoked':
      return [queryKeys.invitations(), ...afterMembershipChange()];
    case 'analysis.completed':
      return [queryKeys.analysisRuns(event.data.media_id)];
    case 'analysis.compared':
      return [queryKeys.analysisShadow(event.data.media_id, event.data.analysis_run_id)];
    case 'job.succeeded':
    case 'job.failed':
    case 'job.cancelled':
      return [queryKeys.jobs(), queryKeys.jobProgress(event.data.job_id)];
    case 'webhook.disabled':
      return [queryKeys.webhooks()];
    case 'api_key.created':
    case 'api_key.disabled':
      return [queryKeys.apiKeys()];
  }
}

const afterMembershipChange = () => [queryKeys.libraries(), queryKeys.members(), queryKeys.highlights()];
const afterLosingAccess = () => [...afterMembershipChange(), queryKeys.media()];

/** Replaces the keys of very many media by one for all: renaming a tag can change 100,000. */
function gather(keys: QueryKey[]): QueryKey[] {
  const all = queryKeys.oneMedia();
  const isOne = (key: QueryKey) => all.every((part, index) => key[index] === part);
  if (keys.filter(isOne).length <= MAX_ITEMS) return keys;
  return [...keys.filter((key) => !isOne(key)), all];
}

/** Keeps what is on the screen up to date: refetches what events make stale, and everything after a lost connection. */
export function followEvents(queryClient: QueryClient): () => void {
  const staleByName = new Map<string, QueryKey>();
  const changedMedia = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastFlushAt = 0;
  let recount: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    lastFlushAt = Date.now();
    const stale = [...staleByName.values()];
    const media = [...changedMedia].filter((id) => isCached(queryClient, id));
    staleByName.clear();
    changedMedia.clear();
    void invalidate(queryClient, ...gather(stale));
    if (media.length > MAX_ITEMS) void invalidate(queryClient, queryKeys.mediaLists());
    else for (const id of media) void refreshMedia(queryClient, id);
  };

  const countAgain = () => {
    recount = undefined;
    void invalidate(queryClient, queryKeys.savedSearches());
  };

  const stopListening = onStreamEvent((event) => {
    const userId = queryClient.getQueryData(sessionQuery.queryKey)?.user.id;
    for (const queryKey of staleKeys(event, userId)) staleByName.set(queryKey.join('/'), queryKey);
    if (
      event.type === 'media.status_changed' ||
      event.type === 'media.ready' ||
      event.type === 'media.failed'
    )
      changedMedia.add(event.data.media_id);
    if ('media_id' in event.data) recount ??= setTimeout(countAgain, RECOUNT_MS);
    timer ??= setTimeout(flush, Math.max(GATHER_MS, lastFlushAt + PAUSE_MS - Date.now()));
  });

  let before = streamState.get();
  const stopWatching = streamState.subscribe(() => {
    const now = streamState.get();
    if (now === 'open' && (before === 'lost' || before === 'refused')) void queryClient.invalidateQueries();
    // This request tells a person that they were signed out elsewhere.
    if (now === 'refused') void queryClient.refetchQueries({ queryKey: queryKeys.libraries() });
    before = now;
  });

  openStream();
  return () => {
    clearTimeout(timer);
    clearTimeout(recount);
    stopListening();
    stopWatching();
    closeStream();
  };
}
