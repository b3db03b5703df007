import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useRef } from 'react';
import { useMediaActions } from '../library/actions.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { ArticleHead } from './article-head.tsx';
import { Prose } from './prose.tsx';
import { fragmentsQuery } from './queries.ts';
import type { ViewProps } from './reader.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';

export function ArticleView({ media, start, onProgress }: ViewProps) {
  const column = useRef<HTMLElement>(null);
  const actions = useMediaActions();
  const { data: fragments, error, refetch } = useQuery(fragmentsQuery(media.id));
  useScrollPosition(column, {
    part: fragments ? 'text' : 'nothing',
    startBlock: start.block,
    onMove: (share, block) => fragments && onProgress(share, { block }),
  });
  const isFinished = media.reading?.finished_at != null;
  return (
    <article ref={column} className="reader-column">
      <ArticleHead media={media} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!fragments && !error && <SkeletonText lines={16} />}
      {fragments && (
        <>
          <Prose language={media.language}>
            {fragments.map(({ id, idx, html_sanitized }) => (
              <SanitizedHtml key={id} html={html_sanitized} idx={idx} />
            ))}
          </Prose>
          <footer className="reader-end">
            <Button
              look={isFinished ? 'secondary' : 'primary'}
              icon={CircleCheck}
              onClick={() => void actions.finish([media], !isFinished)}
            >
              {isFinished ? 'Finished' : 'Mark as finished'}
            </Button>
          </footer>
        </>
      )}
    </article>
  );
}
