import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { BookOpenText, Plus } from 'lucide-react';
import { useSession } from '../session/session.ts';
import { showDialog } from '../shell/dialogs.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState } from '../ui/states.tsx';
import { ContinueReading } from './continue-reading.tsx';
import { MediaView } from './media-view.tsx';

const route = getRouteApi('/signed-in/');

const NOT_ARCHIVED = { archived: false };

/** The person's own library: everything they saved, and everything shared with them, without the archive. */
export default function HomePage() {
  const { default_library_id } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate();
  usePageTitle('My library');
  return (
    <MediaView
      libraryId={default_library_id}
      title="My library"
      params={search}
      fixed={NOT_ARCHIVED}
      onParams={(next) => void navigate({ to: '/', search: next, replace: true })}
      removeFrom={{ libraryId: default_library_id, isDefault: true, name: 'My library' }}
      above={(hidden) => <ContinueReading libraryId={default_library_id} hidden={hidden} />}
      empty={
        <EmptyState
          icon={BookOpenText}
          title="Nothing to read yet"
          actions={
            <>
              <Button look="primary" icon={Plus} onClick={() => showDialog('save')}>
                Save a link
              </Button>
              <Link to="/import" className={buttonClass('secondary')}>
                Import
              </Link>
            </>
          }
        >
          Paste a link anywhere on this page, or drop a PDF or EPUB file.
          <span className="only-keyboard">
            {' '}
            You can also press <Kbd>n</Kbd>.
          </span>
        </EmptyState>
      }
    />
  );
}
