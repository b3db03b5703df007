import './reader.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/error.ts';
import { mediaQuery } from '../library/queries.ts';
import { buttonClass } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { SkeletonText } from '../ui/skeleton.tsx';
import { fragmentsQuery } from './queries.ts';
import { Reader } from './reader.tsx';

const route = getRouteApi('/signed-in/read/$mediaId');

/** Shows a media in the view of its kind. */
export default function ReaderPage() {
  const { mediaId } = route.useParams();
  const { at } = route.useSearch();
  const { data: media, error, refetch } = useQuery(mediaQuery(mediaId));
  usePageTitle(media?.title);

  // Access can end while the page is open: the text is removed from the cache.
  const queryClient = useQueryClient();
  const isGone = error instanceof ApiError && error.isGone;
  useEffect(() => {
    if (isGone) queryClient.removeQueries({ queryKey: fragmentsQuery(mediaId).queryKey });
  }, [isGone, mediaId, queryClient]);

  if (error && (isGone || !media)) {
    return (
      <ErrorState error={error} onRetry={() => void refetch()}>
        <Link to="/" className={buttonClass('primary')}>
          Go to my library
        </Link>
      </ErrorState>
    );
  }
  if (!media) {
    return (
      <div className="reader" data-width="medium" aria-busy="true">
        <div className="reader-bar" />
        <div className="reader-column">
          <SkeletonText lines={14} />
        </div>
      </div>
    );
  }
  return <Reader key={media.id} media={media} at={at} />;
}
