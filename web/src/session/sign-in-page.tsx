import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Form, TextField } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { CardPage, FormError, UsernameField } from './card-page.tsx';
import { sessionQuery, signIn } from './session.ts';
import { SignInHelp } from './sign-in-help.tsx';

const route = getRouteApi('/sign-in');

export default function SignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [withKey, setWithKey] = useState(false);
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      // `next` is an address within the app.
      router.history.push(`${router.basepath}${next ?? '/'}`);
    },
  });

  usePageTitle('Sign in');
  return (
    <CardPage title="Nexus" lead="Keep what you read. Share what matters.">
      <h2>Sign in</h2>
      <Form
        className="card-page-form"
        onSubmit={(field) =>
          signingIn.mutate(
            withKey
              ? { api_key: field('api_key').trim() }
              : { username: field('username').trim(), password: field('password') },
          )
        }
      >
        {withKey ? (
          <TextField label="API key" name="api_key" type="password" autoComplete="off" required autoFocus />
        ) : (
          <>
            <UsernameField autoFocus />
            <TextField
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          </>
        )}
        <FormError error={signingIn.error} />
        <Button look="primary" type="submit" busy={signingIn.isPending}>
          Sign in
        </Button>
      </Form>
      <Button
        look="ghost"
        size="small"
        onClick={() => {
          signingIn.reset();
          setWithKey(!withKey);
        }}
      >
        {withKey ? 'Use a password instead' : 'Use an API key instead'}
      </Button>
      <SignInHelp />
    </CardPage>
  );
}
