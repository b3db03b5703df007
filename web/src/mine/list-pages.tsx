import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { Archive, Star, Tag } from 'lucide-react';
import { useMemo } from 'react';
import { MediaView } from '../library/media-view.tsx';
import type { LibraryRef } from '../library/removals.ts';
import { useSession } from '../session/session.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState } from '../ui/states.tsx';
import { TagMenu } from './tag-menu.tsx';

const favouritesRoute = getRouteApi('/signed-in/favourites');
const archiveRoute = getRouteApi('/signed-in/archive');
const taggedRoute = getRouteApi('/signed-in/tagged');

const FAVOURITE = { favourite: true };
const ARCHIVED = { archived: true };

/** The person's default library has everything that they can read. */
function useEverything(): { libraryId: string; removeFrom: LibraryRef } {
  const { default_library_id: libraryId } = useSession();
  return { libraryId, removeFrom: { libraryId, isDefault: true, name: 'My library' } };
}

/** The favourites of a person, including archived ones. */
export function FavouritesPage() {
  const { favourite: _, ...params } = favouritesRoute.useSearch();
  const navigate = useNavigate();
  usePageTitle('Favourites');
  return (
    <MediaView
      {...useEverything()}
      title="Favourites"
      params={params}
      fixed={FAVOURITE}
      onParams={(search) => void navigate({ to: '/favourites', search, replace: true })}
      empty={
        <EmptyState icon={Star} title="No favourites yet">
          Add an item with its menu
          <span className="only-keyboard"> or the key F</span>. It appears here.
        </EmptyState>
      }
    />
  );
}

/** The items that the person has archived. */
export function ArchivePage() {
  const params = archiveRoute.useSearch();
  const navigate = useNavigate();
  usePageTitle('Archive');
  return (
    <MediaView
      {...useEverything()}
      title="Archive"
      params={params}
      fixed={ARCHIVED}
      onParams={(search) => void navigate({ to: '/archive', search, replace: true })}
      empty={
        <EmptyState icon={Archive} title="The archive is empty">
          Archived items leave My library. They stay here, in their libraries and in search.
        </EmptyState>
      }
    />
  );
}

/** The items with a tag or one below it, including archived ones. */
export function TaggedPage() {
  const { tag, ...params } = taggedRoute.useSearch();
  const navigate = useNavigate();
  const everything = useEverything();
  const fixed = useMemo(() => ({ tag: tag ?? '' }), [tag]);
  usePageTitle(tag ?? 'Tags');
  if (!tag) return <Navigate to="/tags" replace />;
  const open = (name: string) =>
    void navigate({ to: '/tagged', search: { ...params, tag: name }, replace: true });
  return (
    <MediaView
      key={tag}
      {...everything}
      title={tag}
      actions={<TagMenu name={tag} onRenamed={open} onDeleted={() => void navigate({ to: '/tags' })} />}
      params={params}
      fixed={fixed}
      onParams={(next) => void navigate({ to: '/tagged', search: { ...next, tag }, replace: true })}
      empty={
        <EmptyState icon={Tag} title="No items have this tag">
          Add it to an item with the menu of the item.
        </EmptyState>
      }
    />
  );
}
