import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { Badge } from '../ui/states.tsx';
import { notificationsQuery } from './queries.ts';

/** Notifications that are shown before the person asks for all. */
const FIRST_SHOWN = 5;

/** The notifications of rules. Looking at them marks them as seen; until the page is left, they are still marked as new. */
export function Notifications() {
  const queryClient = useQueryClient();
  const { data = [] } = useQuery(notificationsQuery);
  const [isWhole, setWhole] = useState(false);
  const fresh = useRef(new Set<string>());
  for (const { id, seen_at } of data) if (seen_at === null) fresh.current.add(id);
  const newestUnseen = data.find(({ seen_at }) => seen_at === null)?.id;
  useEffect(() => {
    if (newestUnseen === undefined) return;
    api
      .put('/rules/notifications/seen', { through_id: newestUnseen })
      .then(() => invalidate(queryClient, queryKeys.ruleNotifications()))
      // They stay unseen, and are marked when the page is opened again.
      .catch(() => undefined);
  }, [newestUnseen, queryClient]);
  if (data.length === 0) return null;
  const shown = isWhole ? data : data.slice(0, FIRST_SHOWN);
  return (
    <section className="rule-notifications" aria-labelledby="rule-notifications">
      <h2 id="rule-notifications" className="section-title">
        Recent notifications
      </h2>
      <ul>
        {shown.map(({ id, rule_name, media_id, title, created_at }) => (
          <li key={id} className="rule-notification">
            <Link
              to="/read/$mediaId"
              params={{ mediaId: media_id }}
              className="rule-notification-title"
              dir="auto"
            >
              {title}
            </Link>
            <span className="rule-notification-meta">
              {fresh.current.has(id) && <Badge tone="accent">New</Badge>}
              <span className="truncate" dir="auto">
                {rule_name}
              </span>
              <time dateTime={created_at}>{timeAgo(created_at)}</time>
            </span>
          </li>
        ))}
      </ul>
      {shown.length < data.length && (
        <Button size="small" look="ghost" onClick={() => setWhole(true)}>
          Show all
        </Button>
      )}
    </section>
  );
}
