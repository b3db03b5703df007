import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, BookmarkCheck, ListFilter } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { SavedSearch } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useAction } from '../ui/use-action.ts';

const savedSearchesQuery = dataQuery<SavedSearch[]>(queryKeys.savedSearches(), '/saved-searches', {
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
      {data.map(({ id, name, query, count, is_more }) => (
        <Link
          key={id}
          to="/search"
          search={{ q: query }}
          className="nav-link"
          activeOptions={{ includeSearch: true }}
        >
          <ListFilter size={18} aria-hidden />
          <span className="truncate">{name}</span>
          <span className="nav-count">
            {count}
            {is_more && '+'}
          </span>
        </Link>
      ))}
    </>
  );
}

/** Saves the current search under a name, or removes it from the saved ones. */
export function SaveSearch({ query }: { query: string }) {
  const { data = [] } = useQuery(savedSearchesQuery);
  const [isNaming, setNaming] = useState(false);
  const known = data.find((one) => one.query === query);
  const stale = [queryKeys.savedSearches()];
  const save = useAction({
    run: (name: string) => api.postData('/saved-searches', { name, query }),
    stale,
    onDone: () => setNaming(false),
    quiet: true,
  });
  const remove = useAction({
    run: (id: string) => api.delete(`/saved-searches/${id}`),
    stale,
    message: () => 'Removed the saved search',
  });
  return (
    <>
      {known ? (
        <Button
          look="ghost"
          icon={BookmarkCheck}
          busy={remove.isPending}
          onClick={() => remove.mutate(known.id)}
        >
          Remove saved search
        </Button>
      ) : (
        <Button look="ghost" icon={Bookmark} onClick={() => setNaming(true)}>
          Save search
        </Button>
      )}
      {isNaming && (
        <FormDialog
          title="Save search"
          lead={query}
          action="Save"
          busy={save.isPending}
          onSubmit={(field) => save.mutate(field('name'))}
          onClose={() => setNaming(false)}
        >
          <TextField
            label="Name"
            name="name"
            defaultValue={query.slice(0, 100)}
            maxLength={100}
            error={save.error}
            required
          />
        </FormDialog>
      )}
    </>
  );
}
