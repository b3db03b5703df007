import { useQuery } from '@tanstack/react-query';
import { RefreshCw, ScanText } from 'lucide-react';
import { useState } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { ModeChoice } from './mode-choice.tsx';
import { PendingRun } from './pending-run.tsx';
import { type Mode, type Profile, profilesQuery } from './queries.ts';
import { RunOptions } from './run-options.tsx';
import { RunView } from './run-view.tsx';
import { useAnalysis } from './use-analysis.ts';

/** The latest analysis of a document, and the controls to start a new one. */
export function AnalysisTab({ media }: { media: MediaWithOutline }) {
  const { user, allowed_modes } = useSession();
  const [mode, setMode] = useState<Mode>('PUBLIC');
  const [profile, setProfile] = useState<Profile>('deterministic');
  const [isCompared, setCompared] = useState(false);
  const { data: profiles } = useQuery(profilesQuery);
  const { runs, start, isStarting, startError, pending } = useAnalysis(media.id);
  const refusal = refusalFor(media, roleAllows(user.role, 'operator'));
  const latest = runs.data?.find((run) => run.mode === mode && run.shadow_of === null);
  const analyse = () => start({ mode, profile, isCompared });

  if (runs.error && !runs.data) return <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />;
  if (!runs.data) return <SkeletonText lines={12} />;
  return (
    <>
      {allowed_modes.includes('RAW') && <ModeChoice mode={mode} onChange={setMode} />}
      {profiles && !refusal && (
        <RunOptions
          profiles={profiles}
          profile={profile}
          isCompared={isCompared}
          onProfile={setProfile}
          onCompared={setCompared}
        />
      )}
      {startError && <ErrorState error={startError} onRetry={analyse} />}
      {pending && <PendingRun {...pending} onRetry={analyse} isRetrying={isStarting} />}
      {latest && (
        <RunView
          key={latest.id}
          summary={latest}
          actions={
            !pending &&
            !refusal && (
              <IconButton
                label="Analyse again"
                icon={RefreshCw}
                size="small"
                disabled={isStarting}
                onClick={analyse}
              />
            )
          }
        />
      )}
      {!latest && !pending && !startError && (
        <EmptyState
          icon={ScanText}
          title="Not analysed yet"
          actions={
            !refusal && (
              <Button look="primary" icon={ScanText} busy={isStarting} onClick={analyse}>
                Analyse
              </Button>
            )
          }
        >
          {refusal ??
            'Find the reading level, names and subjects, tone, figures of speech and more, marked in the text.'}
        </EmptyState>
      )}
    </>
  );
}

/** Why the person cannot analyse this document, or undefined when they can. */
function refusalFor(media: MediaWithOutline, isOperator: boolean): string | undefined {
  if (!media.capabilities.can_search) return 'This item has no text to analyse.';
  if (isOperator) return undefined;
  return 'Your role lets you read analyses but not start them. Ask someone with the operator role or above.';
}
