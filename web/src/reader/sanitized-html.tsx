import { memo } from 'react';

/**
 * The only component that inserts HTML. The server has sanitised it by an allowlist before storing it, and the
 * Content-Security-Policy would keep anything that was missed from running or loading.
 */
export const SanitizedHtml = memo(function SanitizedHtml({ html, idx }: { html: string; idx: number }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by the server; see above
  return <div className="prose-part" data-fragment={idx} dangerouslySetInnerHTML={{ __html: html }} />;
});
