import {
  ArrowLeft,
  CircleCheck,
  CircleCheckBig,
  PanelRight,
  Printer,
  TableOfContents,
  TextSearch,
} from 'lucide-react';
import type { MediaWithOutline } from '../api/types.ts';
import { titleOf } from '../library/format.ts';
import { MediaMenu } from '../library/media-menu.tsx';
import { useSession } from '../session/session.ts';
import { IconButton } from '../ui/button.tsx';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { isRightToLeft } from './direction.ts';
import { TypePanel } from './type-settings.tsx';

interface ReaderBarProps {
  media: MediaWithOutline;
  progress: number;
  onBack: () => void;
  onFinish: () => void;
  onUnread: () => void;
  onContents: (() => void) | undefined;
  onFind: (() => void) | undefined;
  isContentsOpen: boolean;
  onSidePanel: () => void;
  isSidePanelOpen: boolean;
}

export function ReaderBar(props: ReaderBarProps) {
  const { media, progress, onBack, onContents, onFind } = props;
  const { default_library_id } = useSession();
  const isFinished = media.reading?.finished_at != null;
  const canRead = media.capabilities.can_read;
  return (
    <header className="reader-bar">
      <IconButton label="Back" shortcut="Esc" icon={ArrowLeft} onClick={onBack} />
      {onContents && (
        <IconButton
          label="Contents"
          shortcut="c"
          icon={TableOfContents}
          aria-pressed={props.isContentsOpen}
          onClick={onContents}
        />
      )}
      <span className="reader-bar-title truncate" dir="auto">
        {titleOf(media)}
      </span>
      {canRead && (
        <IconButton
          label={isFinished ? 'Mark as not finished' : 'Mark as finished'}
          shortcut="e"
          icon={isFinished ? CircleCheckBig : CircleCheck}
          data-active={isFinished}
          onClick={props.onFinish}
        />
      )}
      {canRead && <TypePanel isPdf={media.kind === 'pdf'} />}
      {/* On a phone, these are in the menu alone. */}
      <span className="only-roomy row">
        {onFind && <IconButton label="Find in document" icon={TextSearch} onClick={onFind} />}
        {canRead && (
          <IconButton
            label="Highlights and analysis"
            shortcut="a"
            icon={PanelRight}
            aria-pressed={props.isSidePanelOpen}
            onClick={props.onSidePanel}
          />
        )}
      </span>
      <MediaMenu
        media={media}
        removeFrom={{ libraryId: default_library_id, isDefault: true, name: 'My library' }}
        onRemoved={onBack}
        onUnread={props.onUnread}
      >
        {onFind && <MenuItem label="Find in document" icon={TextSearch} onSelect={onFind} />}
        {canRead && (
          <MenuItem label="Highlights and analysis" icon={PanelRight} onSelect={props.onSidePanel} />
        )}
        {canRead && media.kind !== 'pdf' && (
          <MenuItem label="Print" icon={Printer} onSelect={() => window.print()} />
        )}
        {canRead && <MenuSeparator />}
      </MediaMenu>
      <span
        className="reader-progress"
        dir={isRightToLeft(media) ? 'rtl' : 'ltr'}
        role="progressbar"
        aria-label="Reading progress"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(progress * 100)}
      >
        <span className="reader-progress-fill" style={{ transform: `scaleX(${progress})` }} />
      </span>
    </header>
  );
}
