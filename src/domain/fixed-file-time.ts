/**
 * The time of every file in a tar we make, so that the same files give the same bytes. Not the epoch: tests zip files of the
 * sandbox, and ZIP knows no time before 1980.
 */
export const FIXED_FILE_TIME = new Date('2000-01-01T00:00:00Z');
