/** Keys in Postgres, from which the workflow ids are made (`temporal-names.ts`). */
export const recordId = {
  batch: (campaignId: string, n: number) => `${campaignId}/${n}`,
  generation: (campaignId: string, systemId: string, scope: string, repeat: number) =>
    `${campaignId}/${systemId}/${scope}/${repeat}`,
  trial: (campaignId: string, taskId: string, systemId: string, repeat: number) =>
    `${campaignId}/${taskId}/${systemId}/${repeat}`,
  /** The account of the builds of one dataset version; its @ is in no campaign's id. */
  account: (suite: string, version: string) => `${suite}@${version}`,
  /** The build of one project, within an account. */
  build: (accountId: string, project: string) => `${accountId}/${project}`,
} as const;

/** Whether a name is an account's: no campaign's has an @. */
export const isAccountId = (name: string): boolean => name.includes('@');

/** The suite that an account's builds are of. */
export const suiteOfAccount = (id: string): string => id.slice(0, id.indexOf('@'));

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** Campaign id = name (≤ 40) + '-' + 10 lower-case Crockford characters from 10 random bytes. */
export function campaignId(name: string, random: Uint8Array): string {
  const tail = Array.from(random.subarray(0, 10), (byte) => CROCKFORD[byte % 32]).join('');
  return `${name}-${tail}`;
}

/** Why a system, task or campaign name is not an id, or undefined when it is one. */
export function idProblem(id: string, maxLength: number): string | undefined {
  if (id.length === 0) return 'is empty';
  if (id.length > maxLength) return `is longer than ${maxLength} characters`;
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(id))
    return 'may hold only a-z, 0-9, ".", "_" and "-", and starts with a letter or digit';
  return undefined;
}
