import { TransferSections } from '../transfer/transfer-sections.tsx';
import { Select } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ApiKeys } from './api-keys.tsx';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { roleAllows, useSession } from './session.ts';
import { StorageUse } from './storage-use.tsx';
import { setTheme, useTheme } from './theme.ts';

export default function SettingsPage() {
  const { user } = useSession();
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
        <Select
          label="Theme"
          value={theme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={setTheme}
        />
        <p className="field-hint">Change the look of texts in the reader, under Text and colours.</p>
      </section>
      <section className="section">
        <h2 className="section-title">Storage</h2>
        <StorageUse />
      </section>
      <TransferSections />
      {roleAllows(user.role, 'admin') && (
        <section className="section">
          <h2 className="section-title">API keys</h2>
          <ApiKeys />
        </section>
      )}
    </div>
  );
}
