import type { Page } from 'playwright-core';

// What a person sees next; the page before may still be there for a moment.

export async function seesHeading(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
}

/** An announcement: something went wrong, or was done. */
export async function isTold(page: Page, role: 'alert' | 'status', text: string): Promise<void> {
  await page.getByRole(role).filter({ hasText: text }).waitFor();
}

/** Opens the drawer of test outcomes and takes one. */
export async function payAs(page: Page, outcome: string): Promise<void> {
  await page.locator('summary', { hasText: 'Test outcomes' }).click();
  await page.locator(`button[name=outcome][value=${outcome}]`).click();
}
