import './console.css';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { SECTIONS } from './sections.ts';

export interface ConsolePageProps {
  title: string;
  /** A sentence about the page, below the title. */
  lead?: ReactNode;
  /** A link to the parent page, above the title. */
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The layout of all console pages. */
export function ConsolePage({ title, lead, above, actions, children }: ConsolePageProps) {
  const navigate = useNavigate();
  const { user } = useSession();
  usePageTitle(`${title} · Console`);
  useShortcuts(
    Object.values(SECTIONS)
      .filter(({ minimumRole }) => roleAllows(user.role, minimumRole))
      .map(({ path, label, keys }) => ({
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
