import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, ListFilter } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { SavedSearch } from '../api/types.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { SavedSearchDialog } from './saved-search-dialog.tsx';

export const savedSearchesQuery = dataQuery<SavedSearch[]>(queryKeys.savedSearches(), '/saved-searches', {
  counts: 'true',
  limit: 200,
});

/** The saved searches in the sidebar, with the number of items that match now. Nothing when the person has none. */
export function SidebarSearches() {
  const { data = [] } = useQuery(savedSearchesQuery);
  if (data.length === 0) return null;
  return (
    <>
      <div className="nav-section">Saved searches</div>
      {data.map(({ id, name, count, is_more }) => (
        <Link key={id} to="/searches/$searchId" params={{ searchId: id }} className="nav-link">
          <ListFilter size={18} aria-hidden />
          <span className="truncate" dir="auto">
            {name}
          </span>
          <span className="nav-count">
            {count}
            {is_more && '+'}
          </span>
        </Link>
      ))}
    </>
  );
}

/** Saves the current search under a name, or leads to the list of the saved one. */
export function SaveSearch({ query }: { query: string }) {
  const { data = [] } = useQuery(savedSearchesQuery);
  const [isNaming, setNaming] = useState(false);
  const known = data.find((one) => one.query === query);
  if (known) {
    return (
      <Link to="/searches/$searchId" params={{ searchId: known.id }} className={buttonClass('ghost')}>
        <ListFilter size={16} aria-hidden />
        Open saved search
      </Link>
    );
  }
  return (
    <>
      <Button look="ghost" icon={Bookmark} onClick={() => setNaming(true)}>
        Save search
      </Button>
      {isNaming && (
        <SavedSearchDialog
          title="Save search"
          given={{ name: query.slice(0, 100), query }}
          run={(search) => api.postData<SavedSearch>('/saved-searches', search)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
