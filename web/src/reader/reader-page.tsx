import './reader.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSidePanel } from '../analysis/side-panel-state.ts';
import { ApiError } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { MediaWithOutline } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { useMediaActions } from '../library/actions.ts';
import { titleOf } from '../library/format.ts';
import { mediaQuery } from '../library/queries.ts';
import { useMineShortcuts } from '../mine/shortcuts.ts';
import { HomeLink } from '../shell/page-states.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ErrorState, SkeletonText } from '../ui/states.tsx';
import { ArticleView } from './article-view.tsx';
import { BackToPlace } from './back-to-place.tsx';
import { BookView } from './book-view.tsx';
import { FindBar, useFind } from './find-bar.tsx';
import { readLink } from './links.ts';
import { NotReadable } from './not-readable.tsx';
import type { ReadingPosition } from './place.ts';
import { ReaderBar } from './reader-bar.tsx';
import { scrollText } from './reading-axis.ts';
import { resizeText, useReaderSettings } from './type-settings.tsx';
import type { Visited } from './visited.ts';
import { type Target, useVisits } from './visits.ts';

const route = getRouteApi('/signed-in/read/$mediaId');

/** Shows a media in the view of its kind. */
export default function ReaderPage() {
  const { mediaId } = route.useParams();
  const visited = route.useSearch();
  // Another device may have stored a newer place.
  const query = useQuery({ ...mediaQuery(mediaId), refetchOnMount: 'always' });
  const { data: media, error, refetch, isFetchedAfterMount } = query;
  usePageTitle(media && titleOf(media));

  // Access can end while the page is open: the text is removed from the cache.
  const queryClient = useQueryClient();
  const isGone = error instanceof ApiError && error.isGone;
  useEffect(() => {
    if (isGone) queryClient.removeQueries({ queryKey: queryKeys.fragments(mediaId) });
  }, [isGone, mediaId, queryClient]);

  if (error && (isGone || !media)) {
    return (
      <ErrorState error={error} onRetry={() => void refetch()}>
        <HomeLink />
      </ErrorState>
    );
  }
  if (!media) {
    return (
      <div className="reader" data-width="medium" aria-busy="true">
        <div className="reader-bar" />
        <div className="reader-column">
          <SkeletonText lines={14} />
        </div>
      </div>
    );
  }
  return <Reader key={media.id} media={media} visited={visited} isFresh={isFetchedAfterMount} />;
}

const ReaderHighlights = lazy(() => import('../highlights/reader-highlights.tsx'));
const SidePanel = lazy(() => import('../analysis/side-panel.tsx'));
const PdfView = lazy(() => import('./pdf-view.tsx'));
const VideoView = lazy(() => import('./video-view.tsx'));

export interface ViewProps {
  media: MediaWithOutline;
  /** The position to show. */
  target: Target;
  /** Whether words are looked for, which scrolls to them. */
  isFinding: boolean;
  /** Called when the person has moved. */
  onMove: (progress: number, position: ReadingPosition) => void;
  /** Goes elsewhere in the media, and leaves the place. */
  onVisit: (visited: Visited) => void;
  /** Follows a link within the media. */
  onFollow: (href: string) => void;
  isContentsOpen: boolean;
  onContents: (isOpen: boolean) => void;
}

interface ReaderProps {
  media: MediaWithOutline;
  visited: Visited;
  /** Whether the media was fetched since the page was opened, and is not only from the cache. */
  isFresh: boolean;
}

export function Reader({ media, visited, isFresh }: ReaderProps) {
  const settings = useReaderSettings();
  const router = useRouter();
  const navigate = useNavigate();
  const actions = useMediaActions();
  const visits = useVisits(media, visited, isFresh);
  const find = useFind(media, visited);
  const [isContentsOpen, setContentsOpen] = useState(() => media.kind === 'epub' && window.innerWidth > 1100);
  const follow = (href: string) => {
    const { fragment, element } = readLink(href);
    const at = fragment ?? visits.current().fragment ?? 0;
    visits.visit({ at, ...(element !== undefined && { to: element }) });
  };

  const back = () =>
    router.history.canGoBack() ? router.history.go(-visits.entries()) : void navigate({ to: '/' });
  const finish = () => void actions.finish([media], media.reading?.finished_at == null);
  // Staying on the page would mark it as read again.
  const leaveUnread = async () => {
    await visits.stop();
    await actions.unread([media]);
    back();
  };

  useShortcuts([
    { keys: 'e', label: 'Mark as finished or not finished', group: 'Reader', run: finish },
    { keys: 'u', label: 'Mark as unread and go back', group: 'Reader', run: () => void leaveUnread() },
    { keys: 'Escape', label: 'Back', group: 'Reader', run: back },
    { keys: 'c', label: 'Contents', group: 'Reader', run: () => setContentsOpen((isOpen) => !isOpen) },
    // A PDF is zoomed by these keys.
    ...(media.kind === 'pdf' ? [] : RESIZING),
    {
      keys: 'j',
      label: 'Scroll down',
      group: 'Reader',
      run: () => scrollText(0.4),
    },
    {
      keys: 'k',
      label: 'Scroll up',
      group: 'Reader',
      run: () => scrollText(-0.4),
    },
  ]);

  useMineShortcuts('Reader', () => ({ media: [media] }));

  const sidePanel = useSidePanel();

  const view = {
    media,
    target: visits.target,
    isFinding: find.isOpen,
    onMove: visits.onMove,
    onVisit: visits.visit,
    onFollow: follow,
    isContentsOpen,
    onContents: setContentsOpen,
  };
  return (
    <div className="reader" data-tint={settings.tint} data-width={settings.width}>
      <ReaderBar
        media={media}
        progress={visits.progress}
        onBack={back}
        onFinish={finish}
        onUnread={() => void leaveUnread()}
        onContents={hasContents(media) ? () => setContentsOpen((isOpen) => !isOpen) : undefined}
        onFind={find.open}
        isContentsOpen={isContentsOpen}
        onSidePanel={sidePanel.toggle}
        isSidePanelOpen={sidePanel.isOpen}
      />
      <Suspense
        fallback={
          <div className="reader-column">
            <SkeletonText lines={14} />
          </div>
        }
      >
        <ViewOfKind {...view} />
      </Suspense>
      {find.isOpen && <FindBar media={media} {...find} onLeave={visits.leavePlace} />}
      {visits.canReturn && <BackToPlace onBack={visits.endVisit} onStay={visits.stay} />}
      {media.capabilities.can_highlight && (
        <Suspense>
          <ReaderHighlights media={media} visitedId={visited.highlight} onLeave={visits.leavePlace} />
        </Suspense>
      )}
      {sidePanel.isOpen && media.capabilities.can_read && (
        <Suspense>
          <SidePanel media={media} />
        </Suspense>
      )}
    </div>
  );
}

function hasContents({ outline, book }: MediaWithOutline): boolean {
  return outline.length > 0 || (book?.landmarks.length ?? 0) > 0;
}

const RESIZING = [
  { keys: '+', label: 'Larger text', group: 'Reader', run: () => resizeText(1) },
  { keys: '-', label: 'Smaller text', group: 'Reader', run: () => resizeText(-1) },
] as const;

/** Picks the view by kind and capabilities, never by status. */
function ViewOfKind(props: ViewProps) {
  const { capabilities, kind } = props.media;
  if (kind === 'video' && (capabilities.can_play || capabilities.can_read)) return <VideoView {...props} />;
  if (!capabilities.can_read) return <NotReadable media={props.media} />;
  if (kind === 'pdf') return <PdfView {...props} />;
  if (kind === 'epub') return <BookView {...props} />;
  return <ArticleView {...props} />;
}
