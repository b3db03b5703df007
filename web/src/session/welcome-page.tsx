import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { buttonClass } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { SkeletonText } from '../ui/skeleton.tsx';
import { CardPage, FormError } from './card-page.tsx';
import { FirstSave } from './first-save.tsx';
import { ProfileForm } from './profile-form.tsx';
import { sessionQuery, signIn } from './session.ts';

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
        <div className="card-page-card">
          <h2>This link has expired</h2>
          <FormError error={session.error} />
          <p className="muted">
            A sign-in link works once. Ask an admin for a new one, or sign in with your password or API key.
          </p>
          <Link to="/sign-in" search={{}} className={buttonClass('primary')}>
            Sign in
          </Link>
        </div>
      </CardPage>
    );
  }
  if (!session.data) {
    return (
      <CardPage title="Welcome to Nexus">
        <div className="card-page-card">
          <SkeletonText lines={6} />
        </div>
      </CardPage>
    );
  }
  if (!session.data.needs_onboarding && !isNamed) {
    queryClient.setQueryData(sessionQuery.queryKey, session.data);
    return <Navigate to="/" />;
  }
  return (
    <CardPage title="Welcome to Nexus" lead="Your reading library.">
      <div className="card-page-card">
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
      </div>
    </CardPage>
  );
}
