import './transfer.css';
import { getRouteApi } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { roleAllows, useSession } from '../session/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ImportChoice } from './import-choice.tsx';
import { ImportPreview } from './import-preview.tsx';
import { ImportProgress } from './import-progress.tsx';
import type { ParsedImport } from './parsed-import.ts';

const route = getRouteApi('/signed-in/import');

/** Moving in: choose a file, look at what is in it, have it imported, see what became of it. */
export default function ImportPage() {
  const { jobs, total, library } = route.useSearch();
  const { user } = useSession();
  const [parsed, setParsed] = useState<ParsedImport>();
  useEffect(() => {
    document.title = 'Import · Nexus';
  }, []);
  // What was pressed is gone with its step: the keyboard, and whoever listens, go on at the top of the next.
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
        <EmptyState icon={Lock} title="Your role does not allow this">
          Importing many links at once needs the role operator or above, and yours is {user.role}. An admin
          can change that. You can save links one by one, or a few at a time, as before.
        </EmptyState>
      ) : parsed ? (
        <ImportPreview parsed={parsed} libraryId={library} onBack={() => setParsed(undefined)} />
      ) : (
        <ImportChoice onParsed={setParsed} />
      )}
    </div>
  );
}
