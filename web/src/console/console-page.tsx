import './console.css';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { PLACES } from './places.ts';

export interface ConsolePageProps {
  title: string;
  /** Beside the title: what the page is about, in a sentence. */
  lead?: ReactNode;
  /** Above the title: where this page belongs. */
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page of the console. */
export function ConsolePage({ title, lead, above, actions, children }: ConsolePageProps) {
  const navigate = useNavigate();
  const { user } = useSession();
  useEffect(() => {
    document.title = `${title} · Nexus console`;
  }, [title]);
  useShortcuts(
    Object.values(PLACES)
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
