import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Session } from '../api/types.ts';
import { findLinks } from '../saving/links.ts';
import { saveLink } from '../saving/saves.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Form, TextField } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { SkeletonText } from '../ui/states.tsx';
import { CardPage, FormError, NewPasswordField, UsernameField } from './card-page.tsx';
import { fetchSession, sessionQuery, signIn } from './session.ts';
import { SignInHelp } from './sign-in-help.tsx';

/** The page of a sign-in link: the token after the # signs in once, then the person sets up their account. */
export default function WelcomePage() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [token] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const [isNamed, setNamed] = useState(false);

  const session = useQuery({
    ...sessionQuery,
    queryKey: token ? queryKeys.signInLink(token) : sessionQuery.queryKey,
    queryFn: async (context) => {
      if (!token) return sessionQuery.queryFn?.(context) as never;
      // The token works once, so it is removed from the address.
      window.history.replaceState(null, '', window.location.pathname);
      return signIn({ sign_in_token: token });
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

  usePageTitle('Welcome');

  if (session.isError) {
    return (
      <CardPage title="Welcome to Nexus">
        {token ? (
          <>
            <h2>This link has expired</h2>
            <FormError error={session.error} />
            <p className="muted">
              A sign-in link works once. Ask an admin for a new one, or sign in with your password or API key.
            </p>
          </>
        ) : (
          <>
            <h2>You need a sign-in link</h2>
            <SignInHelp />
          </>
        )}
        <Link to="/sign-in" search={{}} className={buttonClass('primary')}>
          Sign in
        </Link>
      </CardPage>
    );
  }
  if (!session.data) {
    return (
      <CardPage title="Welcome to Nexus">
        <SkeletonText lines={6} />
      </CardPage>
    );
  }
  if (!session.data.needs_onboarding && !isNamed) {
    queryClient.setQueryData(sessionQuery.queryKey, session.data);
    return <Navigate to="/" />;
  }
  return (
    <CardPage title="Welcome to Nexus" lead="Your reading library.">
      <div className="card-page-steps" aria-hidden>
        <span className="card-page-step" data-done />
        <span className="card-page-step" data-done={isNamed} />
      </div>
      {isNamed ? (
        <FirstSave onDone={() => void navigate({ to: '/' })} />
      ) : (
        <ProfileForm
          session={session.data}
          onDone={(next) => {
            queryClient.setQueryData(sessionQuery.queryKey, next);
            setNamed(true);
          }}
        />
      )}
    </CardPage>
  );
}

/** The first step for a new person: their name, username and password. */
function ProfileForm({ session, onDone }: { session: Session; onDone: (session: Session) => void }) {
  const { display_name, username } = session.user;
  const saving = useMutation({
    mutationFn: async (field: (name: string) => string) => {
      const chosen = field('username').trim();
      await api.patch('/me', {
        display_name: field('display_name'),
        ...(chosen !== username && { username: chosen }),
      });
      await api.put('/me/password', { new_password: field('password') });
      return fetchSession();
    },
    onSuccess: onDone,
  });
  return (
    <Form className="card-page-form" onSubmit={(field) => saving.mutate(field)}>
      <h2>Set up your account</h2>
      <TextField
        label="Your name"
        name="display_name"
        autoComplete="name"
        defaultValue={display_name === username ? '' : display_name}
        hint="Shown to people you share with."
        maxLength={200}
        required
        autoFocus
      />
      <UsernameField defaultValue={username} hint="You sign in with it, and others use it to invite you." />
      <NewPasswordField label="Password" name="password" />
      <FormError error={saving.error} />
      <Button look="primary" type="submit" busy={saving.isPending}>
        Continue
      </Button>
    </Form>
  );
}

/** The second step for a new person: saving a first link. */
function FirstSave({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<string>();
  const save = (text: string) => {
    const [link] = findLinks(text);
    if (!link) return setError('Enter a link, such as https://example.com/article.');
    void saveLink(link);
    onDone();
  };
  return (
    <Form className="card-page-form" onSubmit={(field) => save(field('link'))} noValidate>
      <h2>Save your first link</h2>
      <p className="muted">
        Paste a link to an article, a PDF or a YouTube video. Nexus saves a readable copy for you.
      </p>
      <TextField
        label="Link"
        name="link"
        type="url"
        inputMode="url"
        placeholder="https://"
        error={error}
        autoFocus
      />
      <Button look="primary" type="submit">
        Save and open my library
      </Button>
      <Button look="ghost" size="small" onClick={onDone}>
        Skip
      </Button>
    </Form>
  );
}
