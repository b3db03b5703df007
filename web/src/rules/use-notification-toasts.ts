import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { showToast } from '../ui/toasts.tsx';
import { notificationsQuery } from './queries.ts';

/** The number of notifications that the person has not seen, of the newest ones. */
export function useUnseenNotifications(): number {
  const { data = [] } = useQuery(notificationsQuery);
  return data.filter(({ seen_at }) => seen_at === null).length;
}

/** Shows a toast when a rule notifies the person while the app is open. */
export function useNotificationToasts(): void {
  const { data } = useQuery(notificationsQuery);
  const navigate = useNavigate();
  const newestKnown = useRef<string>(undefined);
  useEffect(() => {
    if (!data) return;
    const known = newestKnown.current;
    // Ids are in the order of time. Before anything is known, there is nothing new.
    newestKnown.current = data[0]?.id ?? known ?? '';
    if (known === undefined) return;
    const fresh = data.filter(({ id, seen_at }) => seen_at === null && id > known);
    const [first] = fresh;
    if (!first) return;
    const open = () => void navigate({ to: '/read/$mediaId', params: { mediaId: first.media_id } });
    const showAll = () => void navigate({ to: '/rules' });
    if (fresh.length === 1)
      showToast(`${first.rule_name}: ${first.title}`, { action: { label: 'Open', run: open } });
    else showToast(`${fresh.length} items matched your rules`, { action: { label: 'Show', run: showAll } });
  }, [data, navigate]);
}
