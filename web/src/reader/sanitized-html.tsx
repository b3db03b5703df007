import { memo } from 'react';

/**
 * The one place where HTML is put into the page. Nexus has sanitised it by an allowlist before it was stored, and the
 * Content-Security-Policy stands behind that: whatever slipped through could neither run nor load anything.
 */
export const SanitizedHtml = memo(function SanitizedHtml({ html, idx }: { html: string; idx: number }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by Nexus; see above
  return <div className="prose-part" data-fragment={idx} dangerouslySetInnerHTML={{ __html: html }} />;
});
