import './transfer.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import type { Answer, SavedMedia } from '../api/types.ts';
import { librariesQuery } from '../library/queries.ts';
import { CardPage, FormError } from '../session/card-page.tsx';
import { useSession } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { linkIn } from './save-params.ts';

const route = getRouteApi('/save');

/**
 * Any site can open this page, with any link. So it asks, and takes no click or key in its first moments: who was about to
 * click or type something elsewhere has not answered.
 */
const ARMED_AFTER_MS = 600;
const CLOSES_AFTER_MS = 1500;

/** What a bookmarklet or a phone opens: saves one link and goes away. */
export default function SavePage() {
  const search = route.useSearch();
  const link = linkIn(search);
  useEffect(() => {
    document.title = 'Save · Nexus';
  }, []);
  return (
    <CardPage title="Save to Nexus">
      <div className="card-page-card">
        {link ? (
          <SaveOne link={link} title={search.title} />
        ) : (
          <p role="alert">
            There is no link in what was handed over. Share the page itself, or paste its address in Nexus.
          </p>
        )}
        <Link to="/" className={buttonClass('ghost', 'small')}>
          Open my library
        </Link>
      </div>
    </CardPage>
  );
}

function SaveOne({ link, title }: { link: string; title: string | undefined }) {
  const { default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const mayAddTo = libraries.data?.filter(({ role, is_default }) => role === 'admin' && !is_default) ?? [];
  const [target, setTarget] = useState(default_library_id);
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  const saving = useMutation({
    mutationFn: async () => {
      const { data } = await api.post<Answer<SavedMedia>>('/media/from_url', { url: link });
      if (target !== default_library_id)
        await api.post(`/libraries/${target}/media`, { media_id: data.media_id });
      return data;
    },
    // Browsers close only what a script has opened; elsewhere this does nothing.
    onSuccess: () => void setTimeout(() => window.close(), CLOSES_AFTER_MS),
  });

  if (saving.data) {
    return (
      <>
        <div role="status">
          <h2>{saving.data.created ? 'Saved' : 'Saved: Nexus knew it already'}</h2>
        </div>
        <Link
          to="/read/$mediaId"
          params={{ mediaId: saving.data.media_id }}
          className={buttonClass('primary')}
        >
          Read it
        </Link>
      </>
    );
  }
  return (
    <form
      className="card-page-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isArmed) saving.mutate();
      }}
    >
      <h2>{title ?? 'Save this link?'}</h2>
      <p className="mono transfer-link">{link}</p>
      {mayAddTo.length > 0 && (
        <Select
          label="Save into"
          value={target}
          onChange={setTarget}
          options={[
            { value: default_library_id, label: 'My library' },
            ...mayAddTo.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <FormError error={saving.error} />
      <Button look="primary" type="submit" busy={saving.isPending} disabled={!isArmed} autoFocus>
        Save
      </Button>
    </form>
  );
}
