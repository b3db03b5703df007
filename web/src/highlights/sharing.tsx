import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Audience, Highlight, Provenance } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Pending, Skeleton } from '../ui/states.tsx';
import type { HighlightActions } from './actions.ts';
import { audienceQuery } from './queries.ts';

/** Names that are shown before the others are counted. */
const MOST_NAMED = 5;

/** Chooses the libraries whose members see a highlight, and names these people before it is shared. */
export function Sharing({ highlight, actions }: { highlight: Highlight; actions: HighlightActions }) {
  const { id, media_id, visibility } = highlight;
  const before = visibility === 'private' ? [] : visibility.library_ids;
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const provenance = useQuery(
    dataQuery<Provenance>(queryKeys.provenance(media_id), `/media/${media_id}/provenance`),
  );
  const audience = useQuery({ ...audienceQuery(id, chosen), enabled: chosen.length > 0 });
  const libraries = provenance.data?.libraries;
  const toggle = (libraryId: string) =>
    setChosen((known) =>
      known.includes(libraryId) ? known.filter((one) => one !== libraryId) : [...known, libraryId],
    );
  const isSame = chosen.length === before.length && chosen.every((one) => before.includes(one));
  const save = () =>
    actions.edit(id, { visibility: chosen.length === 0 ? 'private' : { library_ids: [...chosen] } });
  return (
    <fieldset className="highlight-share">
      <legend className="visually-hidden">Who sees this highlight</legend>
      <Pending query={provenance}>
        <Skeleton height="2rem" />
      </Pending>
      {libraries?.length === 0 && (
        <p className="small muted">
          This item is in no shared library. Add it to one, then share the highlight with it.
        </p>
      )}
      {libraries?.map(({ library_id, name }) => (
        <label key={library_id}>
          <input type="checkbox" checked={chosen.includes(library_id)} onChange={() => toggle(library_id)} />
          {name}
        </label>
      ))}
      {libraries && libraries.length > 0 && (
        <>
          <p className="small muted" role="status">
            {chosen.length === 0 ? 'Only you see it.' : audience.data && peopleIn(audience.data)}
          </p>
          <div className="row">
            <Button size="small" look="primary" disabled={isSame} onClick={() => void save()}>
              {chosen.length === 0 ? 'Make private' : 'Share'}
            </Button>
          </div>
        </>
      )}
    </fieldset>
  );
}

function peopleIn({ people, total }: Audience): string {
  if (total === 0) return 'Nobody else is in this library yet.';
  const names = people.slice(0, MOST_NAMED).map(({ display_name }) => display_name);
  const others = total - names.length;
  return `Seen by ${[...names, ...(others > 0 ? [`${others} more`] : [])].join(', ')}.`;
}
