// A person's hand on a page of the dashboard: does an action with the mouse, or by keys alone, as it is found on the page.

import { expect } from 'vitest';
import type { Tab } from './browser.ts';

export type By = 'mouse' | 'keys';

export interface Doing {
  /** The page it is done on. */
  readonly on: string;
  readonly name: string;
  /** The board unless told otherwise. */
  readonly kind?: 'task' | 'question' | 'discovery' | 'anomaly' | 'agent';
  readonly id?: string;
  readonly text?: string;
}

/** Tabs on until the focus is there, as a person without a mouse does. */
export async function tabTo(tab: Tab, selector: string): Promise<void> {
  for (let n = 0; n < 200; n += 1) {
    if (await tab.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await tab.keyboard.press('Tab');
  }
  throw new Error(`no focus on ${selector}`);
}

/** Does it; what is asked is answered with yes; the page must say that it was done. */
export async function doOn(tab: Tab, base: string, by: By, { on, name, kind, id = '', text }: Doing): Promise<void> {
  const press = async (selector: string): Promise<void> => {
    if (by === 'mouse') return tab.locator(selector).click();
    await tabTo(tab, selector);
    await tab.keyboard.press('Enter');
  };
  await tab.goto(`${base}/${on}`);
  await tab.getByText('Live', { exact: true }).waitFor();
  const has = (field: string, value: string): string => `:has(input[name="${field}"][value="${value}"])`;
  const found = `form${has('kind', kind ?? 'board')}${has('id', id)}${has('action', name)}`;
  const form = `#${await tab.locator(found).first().getAttribute('id')}`;
  for (const outer of ['details.more', 'details.asks']) {
    const around = `${outer}:not([open]):has(${form})`;
    if ((await tab.locator(around).count()) > 0) await press(`${around} > summary`);
  }
  if (text !== undefined) {
    if (by === 'keys') {
      await tabTo(tab, `${form} textarea`);
      await tab.keyboard.insertText(text);
    } else await tab.locator(`${form} textarea`).fill(text);
  }
  await press(`${form} button`);
  const said = tab.locator('#said');
  const outcome = async () =>
    (await tab.getByRole('dialog').count()) > 0 ? 'asked' : await said.getAttribute('class');
  await expect.poll(outcome, { timeout: 20_000 }).toMatch(/asked|yes|no/);
  if ((await outcome()) === 'asked') await press('dialog button.careful');
  await expect.poll(outcome, { timeout: 20_000 }).toMatch(/yes|no/);
  expect([name, await said.getAttribute('class'), await said.textContent()]).toEqual([
    name,
    'told yes',
    expect.any(String),
  ]);
}
