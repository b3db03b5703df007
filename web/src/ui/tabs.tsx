import './tabs.css';
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface TabsProps {
  label: string;
  tabs: readonly { value: string; label: ReactNode; content: ReactNode }[];
  value: string;
  onChange: (value: string) => void;
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="tab-panel">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
