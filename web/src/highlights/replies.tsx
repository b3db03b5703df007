import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Highlight, Person } from '../api/types.ts';
import { draftFields } from '../drafts/use-draft.ts';
import { IconButton } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { Markdown } from '../ui/markdown.tsx';
import { Pending, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { MarkdownField } from './markdown-field.tsx';
import { repliesQuery } from './queries.ts';

/** The replies to a highlight, and a field for another one. */
export function Replies({ highlight, people }: { highlight: Highlight; people: readonly Person[] }) {
  const query = useQuery(repliesQuery(highlight.id));
  const stale = [queryKeys.replies(highlight.id), queryKeys.highlights()];
  const send = useAction({
    run: async ({ body, done }: { body: string; done: () => void }) => {
      await api.postData(`/highlights/${highlight.id}/replies`, { body });
      done();
    },
    stale,
  });
  const remove = useAction({
    run: (id: string) => api.delete(`/replies/${id}`),
    stale,
    message: () => 'Deleted the reply',
  });
  return (
    <section className="replies" aria-label="Replies">
      <Pending query={query}>
        <Skeleton height="2rem" />
      </Pending>
      {query.data?.map((reply) => (
        <article key={reply.id} className="reply">
          <p className="reply-head">
            <strong>{reply.created_by.display_name}</strong>
            <time dateTime={reply.created_at}>{timeAgo(reply.created_at)}</time>
            {(reply.is_mine || highlight.is_mine) && (
              <IconButton
                label="Delete reply"
                icon={Trash2}
                size="small"
                onClick={() => remove.mutate(reply.id)}
              />
            )}
          </p>
          <Markdown text={reply.body} mentions={reply.mentions} />
        </article>
      ))}
      <MarkdownField
        field={draftFields.reply(highlight.id)}
        note=""
        label="Reply, or mention @somebody"
        action="Reply"
        people={people}
        isSaving={send.isPending}
        onSave={({ text: body }, done) => send.mutate({ body, done })}
      />
    </section>
  );
}
