import { scalarText, type JsonObject } from '../contract/json.js';

/** A field that is not what was asked for. */
export interface Difference {
  field: string;
  asked: string;
  found: string | null;
}

/** The fields of a customer that a person can set; undefined where nothing was said. */
interface CustomerFields {
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  mobileNumber?: string | undefined;
  fraudPolicyId?: number | undefined;
}

/**
 * Where a customer is not as asked. Fields that were not asked for do not count; neither does the way in which
 * a service writes an address or a number. `absent` says whether a field that is not shown counts.
 */
export function differencesOf(
  asked: CustomerFields,
  customer: JsonObject,
  { absent }: { absent: boolean },
): Difference[] {
  return Object.entries(asked).flatMap(([field, value]: [string, string | number | undefined]) => {
    if (value === undefined) return [];
    const found = customerField(customer, field);
    if (found === null && (!absent || value === '')) return [];
    if (found !== null && plain(field, found) === plain(field, String(value))) return [];
    return [{ field, asked: String(value), found }];
  });
}

/** The text of a field; null when it is not there. */
export function customerField(customer: JsonObject, field: string): string | null {
  const other = field === 'mobileNumber' ? customer['phoneNumber'] : undefined;
  return scalarText(customer[field]) ?? scalarText(other) ?? null;
}

function plain(field: string, text: string): string {
  if (field === 'email') return text.toLowerCase();
  return field === 'mobileNumber' ? text.replaceAll(/[\s().-]/g, '') : text;
}
