import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useBeside } from '../analysis/beside.ts';
import type { MediaWithOutline } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { useMediaActions } from '../library/actions.ts';
import { SkeletonText } from '../ui/skeleton.tsx';
import { ArticleView } from './article-view.tsx';
import { BookView } from './book-view.tsx';
import { NotReadable } from './not-readable.tsx';
import { ReaderBar } from './reader-bar.tsx';
import { type Position, positionOf, useReadingProgress } from './reading-progress.ts';
import { changeSettings, SIZES, useReaderSettings } from './settings.ts';

const SidePanel = lazy(() => import('../analysis/side-panel.tsx'));
const PdfView = lazy(() => import('./pdf-view.tsx'));
const VideoView = lazy(() => import('./video-view.tsx'));

export interface ViewProps {
  media: MediaWithOutline;
  /** Where the person was when they left. */
  start: Position;
  onProgress: (progress: number, position: Position) => void;
  isContentsOpen: boolean;
  onContents: (isOpen: boolean) => void;
}

export function Reader({ media, at }: { media: MediaWithOutline; at: number | undefined }) {
  const settings = useReaderSettings();
  const router = useRouter();
  const navigate = useNavigate();
  const actions = useMediaActions();
  const { keep, stop } = useReadingProgress(media);
  const [start] = useState(() => (at === undefined ? positionOf(media) : { fragment: at, page: at + 1 }));
  const [progress, setProgress] = useState(media.reading?.progress ?? 0);
  const [isContentsOpen, setContentsOpen] = useState(() => media.kind === 'epub' && window.innerWidth > 1100);
  const onProgress = useCallback(
    (share: number, position: Position) => {
      setProgress(share);
      keep(share, position);
    },
    [keep],
  );

  // Who opens something has begun to read it.
  const isUnread = media.reading === null && media.capabilities.can_read;
  useEffect(() => {
    if (isUnread) keep(0, {});
  }, [isUnread, keep]);

  const back = () => (router.history.canGoBack() ? router.history.back() : void navigate({ to: '/' }));
  const resize = (step: number) =>
    changeSettings({ size: Math.min(SIZES.length - 1, Math.max(0, settings.size + step)) });
  const finish = () => void actions.finish([media], media.reading?.finished_at == null);
  // Who stays has begun to read again, so it is left.
  const leaveUnread = async () => {
    await stop();
    await actions.unread([media]);
    back();
  };

  useShortcuts([
    { keys: 'e', label: 'Finish, or take it back', group: 'Reader', run: finish },
    { keys: 'u', label: 'Mark as unread, and back', group: 'Reader', run: () => void leaveUnread() },
    { keys: 'Escape', label: 'Back', group: 'Reader', run: back },
    { keys: 'c', label: 'Contents', group: 'Reader', run: () => setContentsOpen((isOpen) => !isOpen) },
    { keys: '+', label: 'Larger text', group: 'Reader', run: () => resize(1) },
    { keys: '-', label: 'Smaller text', group: 'Reader', run: () => resize(-1) },
    {
      keys: 'j',
      label: 'Down',
      group: 'Reader',
      run: () => window.scrollBy({ top: window.innerHeight * 0.4 }),
    },
    {
      keys: 'k',
      label: 'Up',
      group: 'Reader',
      run: () => window.scrollBy({ top: -window.innerHeight * 0.4 }),
    },
  ]);

  const beside = useBeside();

  const view = { media, start, onProgress, isContentsOpen, onContents: setContentsOpen };
  return (
    <div className="reader" data-tint={settings.tint} data-width={settings.width}>
      <ReaderBar
        media={media}
        progress={progress}
        onBack={back}
        onFinish={finish}
        onUnread={() => void leaveUnread()}
        onContents={media.outline.length > 0 ? () => setContentsOpen((isOpen) => !isOpen) : undefined}
        isContentsOpen={isContentsOpen}
        onBeside={beside.toggle}
        isBesideOpen={beside.isOpen}
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
      {beside.isOpen && media.capabilities.can_read && (
        <Suspense>
          <SidePanel media={media} />
        </Suspense>
      )}
    </div>
  );
}

/** Decided by what can be done with it, never by its status. */
function ViewOfKind(props: ViewProps) {
  const { capabilities, kind } = props.media;
  if (kind === 'video' && (capabilities.can_play || capabilities.can_read)) return <VideoView {...props} />;
  if (!capabilities.can_read) return <NotReadable media={props.media} />;
  if (kind === 'pdf') return <PdfView {...props} />;
  if (kind === 'epub') return <BookView {...props} />;
  return <ArticleView {...props} />;
}
