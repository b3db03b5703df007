import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { CreatedApiKey, Scope } from '../api/types.ts';
import { dayInputValue } from '../ui/dates.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, Select, TextField } from '../ui/field.tsx';
import type { Secret } from '../ui/secret-dialog.tsx';
import { useAction } from '../ui/use-action.ts';
import { AREAS } from './access.ts';
import { FormError } from './card-page.tsx';
import { EXPIRIES, type Expiry, expiryDate, expiryHint } from './expiry.ts';
import { roleAllows, useSession } from './session.ts';

const REQUESTS = [
  { label: 'Read', hint: 'See, search and export what you can read.', scopes: ['read'] },
  {
    label: 'Read and change',
    hint: 'Also save, organise, share and delete.',
    scopes: ['read', 'write'],
  },
] as const satisfies { label: string; hint: string; scopes: Scope[] }[];

interface NewApiKeyDialogProps {
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}

/** Creates a key for the person who is signed in. */
export function NewApiKeyDialog({ onClose, onSecret }: NewApiKeyDialogProps) {
  const { user } = useSession();
  const [expiry, setExpiry] = useState<Expiry>('year');
  const [day, setDay] = useState('');
  const areas = AREAS.filter(({ minimumRole }) => roleAllows(user.role, minimumRole));
  const creating = useAction<object, CreatedApiKey>({
    run: (key) => api.postData<CreatedApiKey>('/me/api-keys', key),
    stale: [queryKeys.apiKeys()],
    quiet: true,
    onDone: ({ name, key }) => {
      onClose();
      onSecret({
        title: `API key “${name}”`,
        noun: 'key',
        secret: key,
        hint: (
          <>
            Paste it into the program that uses it. Scripts send it in the header{' '}
            <code className="mono">X-Nexus-API-Key</code>.
          </>
        ),
      });
    },
  });
  return (
    <FormDialog
      title="New key"
      lead="For one program that uses Nexus in your name."
      action="Create"
      busy={creating.isPending}
      onSubmit={(field) => {
        const expiresAt = expiryDate(expiry, day);
        creating.mutate({
          name: field('name').trim(),
          scopes: [
            ...(REQUESTS[Number(field('requests'))] ?? REQUESTS[0]).scopes,
            ...areas.map(({ scope }) => scope).filter((scope) => field(scope) !== ''),
          ],
          ...(expiresAt && { expires_at: expiresAt.toISOString() }),
        });
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="Browser extension"
        hint="What the key is used for."
      />
      <fieldset className="choice">
        <legend className="field-label">Access</legend>
        {REQUESTS.map(({ label, hint }, index) => (
          <label key={label}>
            <input type="radio" name="requests" value={index} defaultChecked={index === 0} />
            <Explained label={label} hint={hint} />
          </label>
        ))}
      </fieldset>
      {areas.length > 0 && (
        <fieldset className="choice">
          <legend className="field-label">Access beyond the library</legend>
          {areas.map(({ scope, label, hint }) => (
            <label key={scope}>
              <input type="checkbox" className="checkbox" name={scope} />
              <Explained label={label} hint={hint} />
            </label>
          ))}
        </fieldset>
      )}
      <Field label="Expires" hint={expiryHint(expiry, day)}>
        {({ className: _, ...control }) => (
          <Select {...control} label="Expires" value={expiry} options={EXPIRIES} onChange={setExpiry} />
        )}
      </Field>
      {expiry === 'date' && (
        <TextField
          label="Last day"
          type="date"
          value={day}
          min={dayInputValue(new Date())}
          max="9999-12-31"
          required
          onChange={(event) => setDay(event.target.value)}
        />
      )}
      <FormError error={creating.error} />
    </FormDialog>
  );
}

function Explained({ label, hint }: { label: string; hint: string }) {
  return (
    <span>
      {label}
      <br />
      <span className="field-hint">{hint}</span>
    </span>
  );
}
