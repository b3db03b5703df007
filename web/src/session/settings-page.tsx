import './storage-use.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, errorMessage } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { StorageUse as Use } from '../api/types.ts';
import { TransferSections } from '../transfer/transfer-sections.tsx';
import { Button } from '../ui/button.tsx';
import { Form, Select, TextField } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { ApiKeys } from './api-keys.tsx';
import { FormError, NewPasswordField, UsernameField } from './card-page.tsx';
import { useSession } from './session.ts';
import { setTheme, THEMES, useTheme } from './theme.ts';

export default function SettingsPage() {
  const theme = useTheme();
  usePageTitle('Settings');
  return (
    <div className="page page-narrow">
      <h1 className="page-title">Settings</h1>
      <section className="section">
        <h2 className="section-title">Profile</h2>
        <NameForm />
      </section>
      <section className="section">
        <h2 className="section-title">Password</h2>
        <PasswordForm />
      </section>
      <section className="section">
        <h2 className="section-title">Appearance</h2>
        <Select label="Theme" value={theme} options={THEMES} onChange={setTheme} />
        <p className="field-hint">Change the look of texts in the reader, under Text and colours.</p>
      </section>
      <section className="section">
        <h2 className="section-title">Storage</h2>
        <StorageUse />
      </section>
      <TransferSections />
      <section className="section">
        <h2 className="section-title">API keys</h2>
        <ApiKeys />
      </section>
    </div>
  );
}

function NameForm() {
  const { user } = useSession();
  const saving = useAction({
    run: (profile: object) => api.patch('/me', profile),
    stale: [queryKeys.session()],
    message: () => 'Saved',
    quiet: true,
  });
  return (
    <Form
      onSubmit={(field) => {
        const username = field('username').trim();
        saving.mutate({
          display_name: field('display_name'),
          // Changing the username may not be allowed, so it is sent only when it changed.
          ...(username !== user.username && { username }),
        });
      }}
    >
      <TextField
        label="Name"
        name="display_name"
        autoComplete="name"
        defaultValue={user.display_name}
        maxLength={200}
        required
      />
      <UsernameField defaultValue={user.username} />
      <FormError error={saving.error} />
      <div>
        <Button type="submit" busy={saving.isPending}>
          Save
        </Button>
      </div>
    </Form>
  );
}

function PasswordForm() {
  const { needs_current_password, can_set_password } = useSession();
  const saving = useAction({
    run: (passwords: object) => api.put('/me/password', passwords),
    stale: [queryKeys.session()],
    message: () => 'Password changed. Other devices are signed out.',
    quiet: true,
  });
  if (!can_set_password) {
    return <p>You signed in with an API key. To set a password, ask an admin for a sign-in link.</p>;
  }
  return (
    <Form
      onSubmit={(field, form) => {
        const passwords = {
          new_password: field('new_password'),
          ...(needs_current_password && { current_password: field('current_password') }),
        };
        saving.mutate(passwords, { onSuccess: () => form.reset() });
      }}
    >
      {needs_current_password && (
        <TextField
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
      <NewPasswordField label="New password" name="new_password" />
      <FormError error={saving.error} />
      <div>
        <Button type="submit" busy={saving.isPending}>
          Change password
        </Button>
      </div>
    </Form>
  );
}

/** The storage that the person uses, and their limit. */
export function StorageUse() {
  const { data, error } = useQuery(dataQuery<Use>(queryKeys.storage(), '/me/storage'));
  if (error && !data) return <p className="field-hint">{errorMessage(error)}</p>;
  if (!data) return <Skeleton height="2.5rem" />;
  const { used_bytes, allowed_bytes } = data;
  return (
    <>
      {allowed_bytes !== null && (
        <progress
          className="storage-bar"
          aria-label="Storage used"
          value={Math.min(used_bytes, allowed_bytes)}
          max={Math.max(1, allowed_bytes)}
        />
      )}
      <p>
        {sizeOf(used_bytes)} used
        {allowed_bytes === null ? '' : ` of ${sizeOf(allowed_bytes)}`}
      </p>
      <p className="field-hint">
        Counts your files, and the text and images of saved items. Items in the <Link to="/trash">trash</Link>{' '}
        count until they are deleted permanently.
      </p>
    </>
  );
}

function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1024 ** 3 ? [bytes / 1024 ** 2, 'MB'] : [bytes / 1024 ** 3, 'GB'];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}
