import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Search, SearchX, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ApiError, api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { SavedSearch } from '../api/types.ts';
import { MediaView } from '../library/media-view.tsx';
import { useSession } from '../session/session.ts';
import { HomeLink } from '../shell/page-states.tsx';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { SavedSearchDialog } from './saved-search-dialog.tsx';
import { savedSearchesQuery } from './saved-searches.tsx';

const route = getRouteApi('/signed-in/searches/$searchId');
const GONE = new ApiError(404, 'E_NOT_FOUND', 'This saved search does not exist.');

/** The items that match a saved search, as a list like that of a library. */
export default function SavedSearchPage() {
  const { searchId } = route.useParams();
  const params = route.useSearch();
  const navigate = useNavigate();
  const { default_library_id: libraryId } = useSession();
  const searches = useQuery(savedSearchesQuery);
  const saved = searches.data?.find(({ id }) => id === searchId);
  const query = saved?.query ?? '';
  const fixed = useMemo(() => ({ q: query }), [query]);
  usePageTitle(saved?.name ?? 'Saved search');

  if (searches.error) return <ErrorState error={searches.error} onRetry={() => void searches.refetch()} />;
  if (!saved) {
    return (
      searches.data && (
        <ErrorState error={GONE}>
          <HomeLink />
        </ErrorState>
      )
    );
  }
  return (
    <MediaView
      key={searchId + query}
      libraryId={libraryId}
      removeFrom={{ libraryId, isDefault: true, name: 'My library' }}
      title={saved.name}
      actions={<SavedSearchMenu saved={saved} />}
      params={params}
      fixed={fixed}
      onParams={(search) =>
        void navigate({ to: '/searches/$searchId', params: { searchId }, search, replace: true })
      }
      empty={
        <EmptyState icon={SearchX} title="Nothing matches this search">
          Items appear here as soon as they match <code dir="auto">{query}</code>.
        </EmptyState>
      }
    />
  );
}

/** Edits or deletes a saved search, or opens it on the search page, which shows the passages. */
function SavedSearchMenu({ saved }: { saved: SavedSearch }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const close = () => setAsked(undefined);
  const deleting = useAction({
    run: async () => {
      await api.delete(`/saved-searches/${saved.id}`);
      // The page of a deleted search would say that it does not exist.
      await navigate({ to: '/' });
    },
    stale: [queryKeys.savedSearches()],
    message: () => `Deleted the saved search ${saved.name}`,
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={`Actions for the saved search ${saved.name}`}
            icon={Ellipsis}
            withTooltip={false}
          />
        }
      >
        <MenuItem
          label="Show passages"
          icon={Search}
          onSelect={() => void navigate({ to: '/search', search: { q: saved.query } })}
        />
        <MenuItem label="Edit" icon={Pencil} onSelect={() => setAsked('edit')} />
        <MenuSeparator />
        <MenuItem label="Delete" icon={Trash2} danger onSelect={() => setAsked('delete')} />
      </Menu>
      {asked === 'edit' && (
        <SavedSearchDialog
          title="Edit saved search"
          given={saved}
          run={(search) => api.patchData<SavedSearch>(`/saved-searches/${saved.id}`, search)}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={`Delete the saved search ${saved.name}?`}
          action="Delete"
          danger
          busy={deleting.isPending}
          onConfirm={() => deleting.mutate()}
          onClose={close}
        >
          The items that it finds stay.
        </ConfirmDialog>
      )}
    </>
  );
}
