import './transfer.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { LibrarySelect } from '../library/library-select.tsx';
import { writableLibrariesQuery } from '../library/queries.ts';
import { TagInput } from '../mine/tag-input.tsx';
import { postLink } from '../saving/saves.ts';
import { CardPage, FormError } from '../session/card-page.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Form } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { linkIn } from './save-params.ts';

const route = getRouteApi('/save');

/**
 * Any site can open this page with any link, so it asks before saving. It ignores clicks and keys at first, because they may
 * have been meant for the page before.
 */
const ARMED_AFTER_MS = 600;
const CLOSES_AFTER_MS = 1500;

/** The page that bookmarklets and share targets open. It saves one link and closes. */
export default function SavePage() {
  const search = route.useSearch();
  const link = linkIn(search);
  usePageTitle('Save');
  return (
    <CardPage title="Save to Nexus">
      {link ? (
        <SaveOne link={link} title={search.title} />
      ) : (
        <p role="alert">No link found. Share the page itself, or paste its address in Nexus.</p>
      )}
      <Link to="/" className={buttonClass('ghost', 'small')}>
        Open my library
      </Link>
    </CardPage>
  );
}

function SaveOne({ link, title }: { link: string; title: string | undefined }) {
  const { data: writable = [] } = useQuery(writableLibrariesQuery);
  const [libraryId, setLibraryId] = useState<string>();
  const [tags, setTags] = useState<string[]>([]);
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  const saving = useMutation({
    mutationFn: () => postLink(link, libraryId, tags),
    // Browsers close only windows that a script has opened.
    onSuccess: () => void setTimeout(() => window.close(), CLOSES_AFTER_MS),
  });

  if (saving.data) {
    return (
      <>
        <div role="status">
          <h2>{saving.data.created ? 'Saved' : 'Already saved'}</h2>
        </div>
        <Link
          to="/read/$mediaId"
          params={{ mediaId: saving.data.media_id }}
          className={buttonClass('primary')}
        >
          Read
        </Link>
      </>
    );
  }
  return (
    <Form className="card-page-form" onSubmit={() => isArmed && saving.mutate()}>
      <h2>{title ?? 'Save this link?'}</h2>
      <p className="mono transfer-link">{link}</p>
      {writable.length > 0 && (
        <LibrarySelect label="Save to" value={libraryId} libraries={writable} onChange={setLibraryId} />
      )}
      <TagInput label="Tags" tags={tags} onChange={setTags} />
      <FormError error={saving.error} />
      <Button look="primary" type="submit" busy={saving.isPending} disabled={!isArmed} autoFocus>
        Save
      </Button>
    </Form>
  );
}
