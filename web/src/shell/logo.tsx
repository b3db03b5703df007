export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="logo">
      <rect width="32" height="32" rx="8" className="logo-ground" />
      <path
        d="M9 23V9.6c0-.9 1.1-1.3 1.7-.6L21.3 22.4c.6.7 1.7.3 1.7-.6V9"
        fill="none"
        stroke="#fbfaf7"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="23" cy="9" r="2.6" fill="#f2b84b" />
    </svg>
  );
}
