import { Link2, Lock, MessageCircle, NotebookPen, Trash2, UsersRound } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { HIGHLIGHT_COLORS, selectorsOf } from '../../../src/contract/highlight-selectors.ts';
import type { Highlight, Person } from '../api/types.ts';
import { draftFields, useDraft } from '../drafts/use-draft.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { Markdown } from '../ui/markdown.tsx';
import { showToast } from '../ui/toasts.tsx';
import { useAction } from '../ui/use-action.ts';
import { type HighlightActions, linkTo, type NoteEdit } from './actions.ts';
import { COLOR_NAMES } from './colors.ts';
import { noteCard } from './current-highlight.ts';
import { MarkdownField } from './markdown-field.tsx';
import { Replies } from './replies.tsx';
import { Sharing } from './sharing.tsx';
import { useAudience } from './use-audience.ts';

interface HighlightCardProps {
  highlight: Highlight;
  actions: HighlightActions;
  isCurrent: boolean;
  /** Whether its note is opened for writing. */
  isEditing: boolean;
  onOpen: () => void;
}

/** A highlight in the side panel. The opened one can be changed, shared and replied to. */
export function HighlightCard({ highlight, actions, isCurrent, isEditing, onOpen }: HighlightCardProps) {
  const card = useRef<HTMLElement>(null);
  const { id, is_unread } = highlight;
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isCurrent) return;
    card.current?.scrollIntoView({ block: 'nearest' });
    noteCard(id, true);
    return () => noteCard(id, false);
  }, [isCurrent, id]);
  useEffect(() => {
    if (isCurrent && is_unread) void latest.current.markSeen(id);
  }, [isCurrent, id, is_unread]);
  return (
    <article ref={card} className="highlight-card" data-color={highlight.color} data-current={isCurrent}>
      <button type="button" className="highlight-quote" aria-expanded={isCurrent} onClick={onOpen}>
        <QuoteText highlight={highlight} />
      </button>
      {!highlight.is_placed && <p className="small highlight-lost">This passage is not in the text.</p>}
      {isCurrent ? (
        <OpenCard highlight={highlight} actions={actions} isEditing={isEditing} />
      ) : (
        <>
          {highlight.note && <Markdown text={highlight.note} />}
          <HighlightMeta highlight={highlight} />
        </>
      )}
    </article>
  );
}

export function QuoteText({ highlight }: { highlight: Highlight }) {
  return <span dir="auto">{selectorsOf(highlight).quote.exact}</span>;
}

export function HighlightMeta({ highlight, children }: { highlight: Highlight; children?: ReactNode }) {
  const { is_mine, created_by, created_at, visibility, reply_count, is_unread } = highlight;
  const isShared = visibility !== 'private';
  return (
    <p className="highlight-meta">
      {is_unread && <span className="highlight-new">New</span>}
      {!is_mine && <span>{created_by.display_name}</span>}
      <time dateTime={created_at}>{timeAgo(created_at)}</time>
      {is_mine && isShared && (
        <>
          <UsersRound size={13} aria-hidden /> Shared
        </>
      )}
      {reply_count > 0 && (
        <>
          <MessageCircle size={13} aria-hidden /> {reply_count} {reply_count === 1 ? 'reply' : 'replies'}
        </>
      )}
      {children}
    </p>
  );
}

type OpenCardProps = Pick<HighlightCardProps, 'highlight' | 'actions' | 'isEditing'>;

function OpenCard({ highlight, actions, isEditing: startsEditing }: OpenCardProps) {
  const { id, is_mine, note, color, visibility } = highlight;
  const draft = useDraft(draftFields.highlightNote(id));
  const [isEditing, setEditing] = useState(() => startsEditing || (is_mine && draft.isPending(note ?? '')));
  const close = useCallback(() => setEditing(false), []);
  const [isSharing, setSharing] = useState(false);
  const isShared = visibility !== 'private';
  const { everybody, others } = useAudience(highlight);
  const copyLink = async () => {
    await navigator.clipboard.writeText(linkTo(highlight)).then(
      () => showToast('Copied a link to this highlight'),
      () => showToast('The browser does not allow copying here.'),
    );
  };
  return (
    <>
      {isEditing ? (
        <NoteField highlight={highlight} actions={actions} people={others} onClose={close} />
      ) : (
        note && <Markdown text={note} mentions={everybody} />
      )}
      <HighlightMeta highlight={highlight} />
      <div className="highlight-actions">
        {is_mine &&
          HIGHLIGHT_COLORS.map((one) => (
            <button
              key={one}
              type="button"
              className="swatch"
              data-color={one}
              aria-label={COLOR_NAMES[one]}
              aria-pressed={one === color}
              onClick={() => void actions.edit(id, { color: one })}
            />
          ))}
        {is_mine && !isEditing && (
          <Button size="small" look="ghost" icon={NotebookPen} onClick={() => setEditing(true)}>
            {note ? 'Edit note' : 'Add note'}
          </Button>
        )}
        {is_mine && (
          <Button
            size="small"
            look="ghost"
            icon={isShared ? UsersRound : Lock}
            aria-expanded={isSharing}
            onClick={() => setSharing(!isSharing)}
          >
            {isShared ? 'Shared' : 'Only you'}
          </Button>
        )}
        <CopyButton text={selectorsOf(highlight).quote.exact} label="Copy text" />
        <IconButton label="Copy link" icon={Link2} size="small" onClick={() => void copyLink()} />
        {is_mine && (
          <IconButton
            label="Delete"
            icon={Trash2}
            size="small"
            onClick={() => void actions.remove(highlight)}
          />
        )}
      </div>
      {isSharing && <Sharing highlight={highlight} actions={actions} />}
      {(isShared || highlight.reply_count > 0) && <Replies highlight={highlight} people={others} />}
    </>
  );
}

interface NoteFieldProps {
  highlight: Highlight;
  actions: HighlightActions;
  /** The people who can be mentioned. */
  people: readonly Person[];
  onClose: () => void;
}

/** Edits the note of a highlight. A note that was changed elsewhere in the meantime is not overwritten without asking. */
function NoteField({ highlight: { id, note }, actions, people, onClose }: NoteFieldProps) {
  const saving = useAction({
    run: async ({ edit, done }: { edit: NoteEdit; done: () => void }) => {
      const saved = await actions.editNote(id, edit);
      if (saved.conflict !== undefined) return saved;
      done();
      onClose();
      return saved;
    },
  });
  return (
    <MarkdownField
      field={draftFields.highlightNote(id)}
      note={note ?? ''}
      label="Note"
      people={people}
      isSaving={saving.isPending}
      conflict={saving.data?.conflict}
      onCancel={onClose}
      onSave={(edit, done) => saving.mutate({ edit, done })}
    />
  );
}
