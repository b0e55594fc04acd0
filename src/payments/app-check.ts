import type { Client } from '../client/client.js';
import { ProfileError, ServiceError } from '../errors.js';

/**
 * A customer shows the app that answers: one of another id, or live where the profile says sandbox, stops the
 * command before anything is changed. A service that does not show its customers is taken at the profile's word.
 */
export async function checkApp(client: Client, customerId: string | undefined): Promise<void> {
  if (customerId === undefined) return;
  try {
    await client.getCustomer(customerId);
  } catch (error) {
    const silent =
      error instanceof ServiceError || (error instanceof ProfileError && error.code !== 'wrong-app');
    if (!silent) throw error;
  }
}
