import './item-dialogs.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, FolderPlus, RotateCcw, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Media, MediaAttempt, MediaWithOutline, Provenance } from '../api/types.ts';
import { OwnTitleDialog } from '../mine/own-title-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { dateTime } from '../ui/dates.ts';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { useEditedState } from '../ui/use-edited-state.ts';
import { useMediaActions } from './actions.ts';
import { titleOf } from './format.ts';
import type { ItemDialogKind } from './item-dialogs.tsx';
import { patchMedia } from './media-list.ts';
import { attemptsQuery, writableLibrariesQuery } from './queries.ts';
import { TitleField } from './title-field.tsx';

interface ItemDialogProps {
  media: Media;
  onClose: () => void;
}

export default function ItemDialog(props: ItemDialogProps & { kind: ItemDialogKind }) {
  if (props.kind === 'title') {
    // A person with a title of their own sees that one, so they edit it.
    const isCommon = props.media.may_edit_title && props.media.mine.title === null;
    return isCommon ? <TitleDialog {...props} /> : <OwnTitleDialog {...props} />;
  }
  if (props.kind === 'add') return <AddDialog {...props} />;
  return props.kind === 'provenance' ? <ProvenanceDialog {...props} /> : <AttemptsDialog {...props} />;
}

/** With more libraries than this, they can be filtered by name. */
const MOST_UNFILTERED = 8;

/** All libraries that a media can be added to. */
function AddDialog({ media, onClose }: ItemDialogProps) {
  const actions = useMediaActions();
  const { data: targets = [] } = useQuery(writableLibrariesQuery);
  const [text, setText] = useState('');
  const shown = targets.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <Dialog onClose={onClose} title="Add to library" lead={titleOf(media)}>
      {targets.length > MOST_UNFILTERED && (
        <TextField
          label="Find a library"
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul className="library-choices" aria-label="Libraries">
        {shown.map((library) => (
          <li key={library.id}>
            <button
              type="button"
              className="library-choice"
              onClick={() => {
                void actions.addTo(library, [media]);
                onClose();
              }}
            >
              <FolderPlus size={18} aria-hidden />
              <span dir="auto">{library.name}</span>
            </button>
          </li>
        ))}
        {shown.length === 0 && <li className="muted">No library has this name.</li>}
      </ul>
    </Dialog>
  );
}

/** Edits the title of a media. An edit that somebody else made in the meantime is not overwritten. */
function TitleDialog({ media, onClose }: ItemDialogProps) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState<string>();
  const { query, save } = useEditedState<MediaWithOutline>(
    queryKeys.mediaTitle(media.id),
    `/media/${media.id}`,
  );
  const saving = useAction({
    run: (title: string) => save<MediaWithOutline>({ title }),
    onDone: (edited) => {
      patchMedia(queryClient, edited);
      onClose();
    },
    stale: [queryKeys.mediaLists()],
    quiet: true,
  });
  return (
    <FormDialog
      title="Edit title"
      lead="Everybody who can read this item sees the new title."
      action="Save"
      busy={saving.isPending}
      onSubmit={(field) => saving.mutate(field('title'))}
      onClose={onClose}
    >
      <TitleField
        value={typed ?? query.data?.data.title ?? media.title}
        onChange={setTyped}
        error={saving.error}
      />
    </FormDialog>
  );
}

/** All reasons why the viewer sees a media. */
function ProvenanceDialog({ media, onClose }: ItemDialogProps) {
  const query = useQuery({
    ...dataQuery<Provenance>(queryKeys.provenance(media.id), `/media/${media.id}/provenance`),
    staleTime: 0,
  });
  const provenance = query.data;
  return (
    <Dialog onClose={onClose} title="Why do I see this?" lead={titleOf(media)}>
      <Pending query={query}>
        <SkeletonText lines={4} />
      </Pending>
      {provenance && (
        <ul className="reasons">
          {provenance.saved_at && (
            <li className="reason">
              <Bookmark size={18} aria-hidden />
              <span>
                You saved it <span className="muted">on {dateTime(provenance.saved_at)}</span>
              </span>
            </li>
          )}
          {provenance.libraries.map((library) => (
            <li key={library.library_id} className="reason">
              <UsersRound size={18} aria-hidden />
              <span>
                It is in <strong>{library.name}</strong>, and you are a member.{' '}
                <span className="muted">
                  {library.added_by ? `${library.added_by.display_name} added it` : 'It was added'} on{' '}
                  {dateTime(library.added_at)}.
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const RESULTS: Record<MediaAttempt['status'], string> = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

/** The processing attempts of a media, with their results. */
function AttemptsDialog({ media, onClose }: ItemDialogProps) {
  const actions = useMediaActions();
  const attempts = useQuery({ ...attemptsQuery(media.id), staleTime: 0 });
  const retry = () => {
    void actions.retry(media);
    onClose();
  };
  return (
    <Dialog
      onClose={onClose}
      title="Attempts"
      lead={titleOf(media)}
      actions={
        media.may_retry && (
          <Button look="primary" icon={RotateCcw} onClick={retry}>
            Retry
          </Button>
        )
      }
    >
      <Pending query={attempts}>
        <SkeletonText lines={5} />
      </Pending>
      {attempts.data?.length === 0 && <p className="muted">No attempt yet. It is waiting in the queue.</p>}
      <ol className="attempts">
        {attempts.data?.map(({ attempt_number, status, summary, started_at, error_code }) => (
          <li key={attempt_number} className="attempt" data-status={status}>
            <span className="attempt-what">
              Attempt {attempt_number}: {RESULTS[status]}
            </span>
            <span>{summary}</span>
            <span className="small muted">
              {dateTime(started_at)}
              {error_code && <span className="mono"> · {error_code}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
