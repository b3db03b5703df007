import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { Entrance, FormError } from './entrance.tsx';
import { FirstSave } from './first-save.tsx';
import { ProfileForm } from './profile-form.tsx';
import { sessionQuery, signIn } from './session.ts';

/** Where the sign-in link leads: the token after the # signs in once, then come name, password and a first save. */
export default function WelcomePage() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [token] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const [isNamed, setNamed] = useState(false);

  const session = useQuery({
    ...sessionQuery,
    queryKey: token ? ['sign-in-link', token] : sessionQuery.queryKey,
    queryFn: async (context) => {
      if (!token) return sessionQuery.queryFn?.(context) as never;
      // The token is spent by its first use: out of the address, so that nothing tries it twice.
      window.history.replaceState(null, '', window.location.pathname);
      return signIn({ sign_in_token: token });
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

  useEffect(() => {
    document.title = 'Welcome · Nexus';
  }, []);

  if (session.isError) {
    return (
      <Entrance title="Welcome to Nexus">
        <div className="entrance-card">
          <h2>This link does not work any more</h2>
          <FormError error={session.error} />
          <p className="muted">
            A sign-in link works once. Ask an operator for a new one, or sign in with your password or key.
          </p>
          <Link to="/sign-in" search={{}} className={buttonClass('primary')}>
            Sign in
          </Link>
        </div>
      </Entrance>
    );
  }
  if (!session.data) {
    return (
      <Entrance title="Welcome to Nexus">
        <div className="entrance-card">
          <SkeletonText lines={6} />
        </div>
      </Entrance>
    );
  }
  if (!session.data.needs_onboarding && !isNamed) {
    queryClient.setQueryData(sessionQuery.queryKey, session.data);
    return <Navigate to="/" />;
  }
  return (
    <Entrance title="Welcome to Nexus" lead="A library of what you read, kept where you decide.">
      <div className="entrance-card">
        <div className="entrance-steps" aria-hidden>
          <span className="entrance-step" data-done />
          <span className="entrance-step" data-done={isNamed} />
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
    </Entrance>
  );
}
