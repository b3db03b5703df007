import './transfer.css';
import { getRouteApi } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { roleAllows, useSession } from '../session/session.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState } from '../ui/states.tsx';
import { ImportChoice } from './import-choice.tsx';
import { ImportPreview } from './import-preview.tsx';
import { ImportProgress } from './import-progress.tsx';
import type { ParsedImport } from './parsed-import.ts';

const route = getRouteApi('/signed-in/import');

/** Imports links in three steps: choose a file, review it, see the results. */
export default function ImportPage() {
  const { jobs, total, library } = route.useSearch();
  const { user } = useSession();
  const [parsed, setParsed] = useState<ParsedImport>();
  usePageTitle('Import');
  // The focused button is gone after each step, so the focus moves to the heading.
  const heading = useRef<HTMLHeadingElement>(null);
  const step = jobs ? 'progress' : parsed ? 'preview' : 'choice';
  const lastStep = useRef(step);
  useEffect(() => {
    if (lastStep.current !== step) heading.current?.focus();
    lastStep.current = step;
  }, [step]);

  return (
    <div className="page page-narrow transfer">
      <h1 ref={heading} tabIndex={-1} className="page-title">
        Import
      </h1>
      {jobs ? (
        <ImportProgress key={jobs} ids={jobs.split('_')} total={total} libraryId={library} />
      ) : !roleAllows(user.role, 'operator') ? (
        <EmptyState icon={Lock} title="You cannot import links">
          Importing needs the operator role or above. Your role is {user.role}. Ask an admin to change it. You
          can still save links with the Save dialog.
        </EmptyState>
      ) : parsed ? (
        <ImportPreview parsed={parsed} libraryId={library} onBack={() => setParsed(undefined)} />
      ) : (
        <ImportChoice onParsed={setParsed} />
      )}
    </div>
  );
}
