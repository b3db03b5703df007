import './console.css';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { useSession } from '../session/session.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { sectionsFor } from './sections.ts';

interface ConsolePageProps {
  title: string;
  /** A sentence about the page, below the title. */
  lead?: ReactNode;
  /** A link to the parent page, above the title. */
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function ConsolePage({ title, lead, above, actions, children }: ConsolePageProps) {
  const navigate = useNavigate();
  const { user } = useSession();
  usePageTitle(`${title} · Console`);
  useShortcuts(
    sectionsFor(user.role).map(({ path, label, keys }) => ({
      keys,
      label,
      group: 'Go to',
      run: () => void navigate({ to: `/console/${path}` as string }),
    })),
  );
  return (
    <div className="page page-wide console">
      <header className="page-head console-head">
        <div className="grow">
          {above && <div className="console-above">{above}</div>}
          <h1 className="page-title">{title}</h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="row console-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PendingPageProps extends Pick<ConsolePageProps, 'title' | 'above'> {
  query: ComponentProps<typeof Pending>['query'];
}

/** A page about one thing that is loading, or could not be loaded. */
export function PendingPage({ query, ...page }: PendingPageProps) {
  return (
    <ConsolePage {...page}>
      <Pending query={query}>
        <SkeletonText lines={10} />
      </Pending>
    </ConsolePage>
  );
}
