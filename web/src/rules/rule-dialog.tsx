import '../search/search.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, api, errorMessage } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { MediaPage, Rule } from '../api/types.ts';
import { librariesQuery } from '../library/queries.ts';
import { mayAddTo } from '../library/roles.ts';
import { TagInput } from '../mine/tag-input.tsx';
import { QueryHelp } from '../search/query-help.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Field, Select, TextField } from '../ui/field.tsx';
import { plural } from '../ui/numbers.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { useEditedState } from '../ui/use-edited-state.ts';
import { usePaused } from '../ui/use-paused.ts';

type Actions = Rule['actions'];

interface RuleDialogProps {
  /** The rule to edit; without it, a new one is created. */
  rule?: Rule | undefined;
  onClose: () => void;
  onSaved?: (rule: Rule) => void;
}

const TYPING_MS = 350;
const MOST_TAGS = 20;
const isQueryMistake = (error: unknown) => error instanceof ApiError && error.code === 'E_INVALID_QUERY';

/** Creates or edits a rule. */
export default function RuleDialog({ rule, ...props }: RuleDialogProps) {
  return rule ? <EditRule rule={rule} {...props} /> : <RuleForm save={createRule} {...props} />;
}

const createRule = (fields: object) => api.postData<Rule>('/rules', fields);

/** Reads the rule again before it is edited: it may have changed since the list was read. */
function EditRule({ rule, ...props }: RuleDialogProps & { rule: Rule }) {
  const { query, save } = useEditedState<Rule>(queryKeys.ruleTag(rule.id), `/rules/${rule.id}`);
  if (query.data) return <RuleForm rule={query.data.data} save={save<Rule>} {...props} />;
  return (
    <Dialog title="Edit rule" onClose={props.onClose}>
      <Pending query={query}>
        <SkeletonText lines={4} />
      </Pending>
    </Dialog>
  );
}

interface RuleFormProps extends RuleDialogProps {
  save: (fields: object) => Promise<Rule>;
}

function RuleForm({ rule, save, onClose, onSaved }: RuleFormProps) {
  const [query, setQuery] = useState(rule?.query ?? '');
  const [actions, setActions] = useState<Actions>(rule?.actions ?? {});
  const [problem, setProblem] = useState<string>();
  const matching = useMatching(query);
  const saving = useAction({
    run: save,
    stale: [queryKeys.rules()],
    onDone: (saved) => {
      onClose();
      onSaved?.(saved);
    },
    quiet: true,
  });
  const set = (change: Partial<Actions>) => {
    setActions({ ...actions, ...change });
    setProblem(undefined);
  };
  const isRefused = isQueryMistake(saving.error);
  return (
    <FormDialog
      size="wide"
      title={rule ? 'Edit rule' : 'New rule'}
      action={rule ? 'Save' : 'Create'}
      busy={saving.isPending}
      onSubmit={(field) => {
        const found = problemOf(actions);
        setProblem(found);
        const name = field('name').trim() || query.trim().slice(0, 100);
        if (!found) saving.mutate({ name, query: query.trim(), actions: usedActions(actions) });
      }}
      onClose={onClose}
    >
      <QueryField
        query={query}
        onChange={(next) => {
          setQuery(next);
          saving.reset();
        }}
        error={isRefused ? saving.error : matching.mistake}
        status={matching.status}
      />
      <fieldset className="rule-actions-field">
        <legend className="field-label">Then</legend>
        <TagInput label="Add tags" tags={actions.tags ?? []} onChange={(tags) => set({ tags })} />
        <LibraryField value={actions.library_id} onChange={(library_id) => set({ library_id })} />
        {CHECKS.map(({ name, label }) => (
          <label key={name} className="rule-check">
            <input
              type="checkbox"
              className="checkbox"
              checked={actions[name] ?? false}
              onChange={(event) => set({ [name]: event.target.checked })}
            />
            {label}
          </label>
        ))}
        {problem && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
      </fieldset>
      <TextField
        label="Name"
        name="name"
        dir="auto"
        autoComplete="off"
        maxLength={100}
        defaultValue={rule?.name}
        placeholder={query.trim().slice(0, 100) || 'For example: Recipes'}
      />
      {saving.error && !isRefused && (
        <p className="form-error" role="alert">
          {messageOf(saving.error)}
        </p>
      )}
    </FormDialog>
  );
}

function messageOf(error: Error): string {
  const isChanged = error instanceof ApiError && error.code === 'E_PRECONDITION_FAILED';
  return isChanged
    ? 'This rule was changed on another device. Saving again overwrites that change.'
    : errorMessage(error);
}

const CHECKS = [
  { name: 'archive', label: 'Archive it' },
  { name: 'favourite', label: 'Add it to favourites' },
  { name: 'notify', label: 'Notify me' },
] as const;

interface QueryFieldProps {
  query: string;
  onChange: (query: string) => void;
  error: unknown;
  status: string | undefined;
}

function QueryField({ query, onChange, error, status }: QueryFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="rule-query-field">
      <Field label="When a saved item matches" error={error}>
        {(control) => (
          <input
            {...control}
            ref={input}
            dir="auto"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={1000}
            required
            placeholder='Words, "exact phrases", tag:…'
            value={query}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <p className="field-hint" role="status">
        {error ? '' : status}
      </p>
      <QueryHelp
        onAdd={(condition) => {
          onChange(`${query.trimEnd()} ${condition}`.trimStart());
          input.current?.focus();
        }}
      />
    </div>
  );
}

/** The libraries that the person may add to. The chosen one stays in the menu when they may no longer. */
function LibraryField({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (libraryId: string | undefined) => void;
}) {
  const { data: libraries = [] } = useQuery(librariesQuery);
  const shared = libraries.filter(({ is_default }) => !is_default);
  const offered = shared.filter((library) => mayAddTo(library) || library.id === value);
  if (offered.length === 0 && value === undefined) return null;
  const isKnown = value === undefined || offered.some(({ id }) => id === value);
  return (
    <Field label="Add to a library">
      {({ id }) => (
        <Select
          id={id}
          label="Add to a library"
          value={value ?? ''}
          options={[
            { value: '', label: 'No library' },
            ...offered.map((library) => ({ value: library.id, label: library.name })),
            ...(isKnown
              ? []
              : [{ value: value ?? '', label: 'A library that you no longer have access to' }]),
          ]}
          onChange={(chosen) => onChange(chosen || undefined)}
        />
      )}
    </Field>
  );
}

/** Tells how many items match a query while it is typed, or its mistake. */
function useMatching(typed: string): { mistake?: Error; status?: string } {
  const query = usePaused(typed.trim(), TYPING_MS);
  const { data, error } = useQuery({
    queryKey: queryKeys.ruleMatches(query),
    // The last word of a rule is a whole word, and a space ends it.
    queryFn: ({ signal }) => api.get<MediaPage>('/media', { q: `${query} `, limit: 1 }, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (query === '' || typed.trim() === '') return {};
  if (error && isQueryMistake(error)) return { mistake: error };
  const total = data?.page.total;
  if (error || !data) return {};
  if (total === undefined) return { status: 'Many items match now.' };
  return {
    status: total === 0 ? 'No items match now.' : `${plural(total, 'item matches', 'items match')} now.`,
  };
}

function usedActions({ tags = [], library_id, archive, favourite, notify }: Actions): Actions {
  return {
    ...(tags.length > 0 && { tags }),
    ...(library_id && { library_id }),
    ...(archive && { archive }),
    ...(favourite && { favourite }),
    ...(notify && { notify }),
  };
}

function problemOf(actions: Actions): string | undefined {
  if ((actions.tags?.length ?? 0) > MOST_TAGS) return `A rule adds at most ${MOST_TAGS} tags.`;
  return Object.keys(usedActions(actions)).length === 0 ? 'Choose what the rule does.' : undefined;
}
