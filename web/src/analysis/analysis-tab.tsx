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

/** The latest analysis of a document, and the way to another. */
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
            'Reading level, names and subjects, tone, figures of speech and more, with their places in the text.'}
        </EmptyState>
      )}
    </>
  );
}

/** Why this person cannot have this document analysed, if so. */
function refusalFor(media: MediaWithOutline, isOperator: boolean): string | undefined {
  if (!media.capabilities.can_search) return 'There is no text here that could be analysed.';
  if (isOperator) return undefined;
  return 'You can read analyses, but your role does not let you start one. Ask somebody with the role operator or above; it shows here as soon as it is done.';
}
