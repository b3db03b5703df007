import { memo, useLayoutEffect, useRef } from 'react';
import { prepareCode } from './code-blocks.ts';

/**
 * The only component that inserts HTML. The server has sanitised it by an allowlist before storing it, and the
 * Content-Security-Policy would keep anything that was missed from running or loading.
 */
export const SanitizedHtml = memo(function SanitizedHtml({ html, idx }: { html: string; idx: number }) {
  const part = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other HTML has other code
  useLayoutEffect(() => (part.current ? prepareCode(part.current) : undefined), [html]);
  const content = { __html: html };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by the server; see above
  return <div ref={part} className="prose-part" data-fragment={idx} dangerouslySetInnerHTML={content} />;
});
