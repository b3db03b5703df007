import './side-panel.css';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { RelatedTab } from '../related/related-tab.tsx';
import { IconButton } from '../ui/button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { AnalysisTab } from './analysis-tab.tsx';
import { changeBeside, TABS, takeFocusDue, useBesideState } from './beside.ts';

/** What Nexus knows of a document, beside it: a column on wide screens, a sheet from below on narrow ones. */
export default function SidePanel({ media }: { media: MediaWithOutline }) {
  const { tab } = useBesideState();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = panel.current;
    if (takeFocusDue()) element?.querySelector<HTMLElement>('[role="tab"][data-state="active"]')?.focus();
    return () => {
      // Whoever was in it goes back to where they came from.
      const isInside = document.activeElement === document.body || element?.contains(document.activeElement);
      if (isInside && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside ref={panel} className="beside" aria-label="About this document">
      <IconButton
        label="Close the panel"
        shortcut="Esc"
        icon={X}
        size="small"
        className="beside-close"
        onClick={() => changeBeside({ isOpen: false })}
      />
      <Tabs
        label="About this document"
        value={tab}
        onChange={(value) => changeBeside({ tab: TABS.find((known) => known === value) ?? 'analysis' })}
        tabs={[
          { value: 'analysis', label: 'Analysis', content: <AnalysisTab media={media} /> },
          { value: 'related', label: 'Related', content: <RelatedTab mediaId={media.id} /> },
        ]}
      />
    </aside>
  );
}
