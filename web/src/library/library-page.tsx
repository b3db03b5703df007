import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { BookPlus, Share2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { isId } from '../api/queries.ts';
import { useSession } from '../session/session.ts';
import { showDialog } from '../shell/dialogs.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState } from '../ui/states.tsx';
import { LibraryGone } from './library-gone.tsx';
import { LibraryMenu } from './library-menu.tsx';
import { MediaView } from './media-view.tsx';
import { librariesQuery } from './queries.ts';
import { mayAddTo } from './roles.ts';

const ShareDialog = lazy(() => import('../sharing/share-dialog.tsx'));
const route = getRouteApi('/signed-in/library/$libraryId');

export default function LibraryPage() {
  const { libraryId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const libraries = useQuery(librariesQuery);
  const [isSharing, setSharing] = useState(false);
  const library = libraries.data?.find(({ id }) => id === libraryId);
  const { user } = useSession();
  const isAdmin = library?.role === 'admin';
  const mayAdd = library !== undefined && mayAddTo(library);
  const removeFrom = library &&
    mayAdd && { libraryId, isDefault: false, name: library.name, onlyAddedBy: isAdmin ? undefined : user.id };
  usePageTitle(library?.name ?? 'Library');

  if (!isId(libraryId) || (libraries.data && !library)) {
    return <LibraryGone />;
  }
  return (
    <>
      <MediaView
        key={libraryId}
        libraryId={libraryId}
        title={library?.name ?? ' '}
        actions={
          library &&
          !library.is_default && (
            <span className="list-head-actions">
              <Button icon={Share2} onClick={() => setSharing(true)}>
                <span className="button-word">{isAdmin ? 'Share' : 'Members'}</span>
              </Button>
              <LibraryMenu library={library} />
            </span>
          )
        }
        params={search}
        onParams={(next) =>
          void navigate({ to: '/library/$libraryId', params: { libraryId }, search: next, replace: true })
        }
        removeFrom={removeFrom || undefined}
        empty={
          <EmptyState
            icon={BookPlus}
            title="This library is empty"
            actions={
              mayAdd && (
                <>
                  <Button look="primary" onClick={() => showDialog('save')}>
                    Save a link
                  </Button>
                  <Link to="/import" search={{ library: libraryId }} className={buttonClass('secondary')}>
                    Import
                  </Link>
                </>
              )
            }
          >
            {mayAdd
              ? 'Save a link here, or add items from your library with their menu.'
              : 'Items appear here and in your library as soon as somebody adds them.'}
          </EmptyState>
        }
      />
      <Suspense>
        {isSharing && library && <ShareDialog library={library} onClose={() => setSharing(false)} />}
      </Suspense>
    </>
  );
}
