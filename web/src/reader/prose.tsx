import type { ReactNode } from 'react';
import { SIZES, useReaderSettings } from './settings.ts';

/** Text as this person likes to read it. */
export function Prose({ language, children }: { language: string | null; children: ReactNode }) {
  const { face, spacing, size } = useReaderSettings();
  return (
    <div
      className="prose"
      data-face={face}
      data-spacing={spacing}
      style={{ ['--prose-size' as string]: `${(SIZES[size] ?? 19) / 16}rem` }}
      {...(language && { lang: language })}
    >
      {children}
    </div>
  );
}
