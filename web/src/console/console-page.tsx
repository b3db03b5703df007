import './console.css';
import { useNavigate } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { ConsoleNav } from './console-nav.tsx';
import { SECTIONS, sectionsFor } from './sections.ts';
import { ConsoleLink } from './values.tsx';

interface ConsolePageProps {
  title: string;
  /** A sentence about the page, below the title. */
  lead?: ReactNode;
  /** The section that the page is a part of; a link to it is above the title. */
  above?: keyof typeof SECTIONS;
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
      <ConsoleNav />
      <header className="page-head console-head">
        <div className="grow">
          {above && (
            <div className="console-above">
              <ConsoleLink to={above}>{SECTIONS[above].label}</ConsoleLink>
            </div>
          )}
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

/** Whether the person may see payloads, results and error texts of all users. */
export function useSeesAllContent(): boolean {
  return roleAllows(useSession().user.role, 'admin');
}

/** Whether the person may see the content of this job. */
export function useSeesContent(work: { created_by_user_id: string | null } | undefined): boolean {
  const { user } = useSession();
  return useSeesAllContent() || work?.created_by_user_id === user.id;
}

/** Shown in place of content that only its owner and admins may see. */
export function PrivateContent() {
  return (
    <p className="card muted row">
      <Lock size={16} aria-hidden />
      Only the owner and admins can see the content.
    </p>
  );
}
