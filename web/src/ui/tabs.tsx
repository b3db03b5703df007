import './tabs.css';
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface TabsProps {
  label: string;
  tabs: readonly { value: string; label: ReactNode; content: ReactNode }[];
  value?: string;
  onChange?: (value: string) => void;
}

/** Tabs. They are controlled when `value` is given. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: tabs[0]?.value ?? '' } : { value })}
      {...(onChange && { onValueChange: onChange })}
    >
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
