/** Tells people who come without a sign-in link where to find one. */
export function SignInHelp() {
  return (
    <p className="small muted">
      First visit? Open your sign-in link. If you started Nexus yourself, the terminal prints it. Otherwise,
      ask an admin for one.
    </p>
  );
}
