import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { BookOpenText, FilterX, Plus } from 'lucide-react';
import { useSession } from '../session/session.ts';
import { useDialogs } from '../shell/dialogs.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { MediaView } from './media-view.tsx';

const route = getRouteApi('/signed-in/');

/** The person's own library: everything they saved, and everything shared with them. */
export default function HomePage() {
  const { default_library_id } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { show } = useDialogs();
  usePageTitle('My library');
  return (
    <MediaView
      libraryId={default_library_id}
      isDefault
      params={search}
      onParams={(next) => void navigate({ to: '/', search: next, replace: true })}
      removeFrom={{ libraryId: default_library_id, isDefault: true, name: 'My library' }}
      empty={
        <EmptyState
          icon={BookOpenText}
          title="Nothing to read yet"
          actions={
            <>
              <Button look="primary" icon={Plus} onClick={() => show('save')}>
                Save a link
              </Button>
              <Link to="/import" className={buttonClass('secondary')}>
                Import
              </Link>
            </>
          }
        >
          Paste a link anywhere on this page, drop a PDF or EPUB file, or press <Kbd>n</Kbd>.
        </EmptyState>
      }
      noMatches={<NoMatches onClear={() => void navigate({ to: '/', search: {} })} />}
    >
      {(total) => (
        <>
          <h1 className="page-title">My library</h1>
          <Total value={total} />
        </>
      )}
    </MediaView>
  );
}

export function Total({ value }: { value: number | undefined }) {
  if (value === undefined) return null;
  return (
    <span className="list-count" role="status">
      {value.toLocaleString()} {value === 1 ? 'item' : 'items'}
    </span>
  );
}

export function NoMatches({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={FilterX}
      title="No items match these filters"
      actions={<Button onClick={onClear}>Clear filters</Button>}
    />
  );
}
