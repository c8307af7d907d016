/**
 * All results, like `Promise.all`; but the first failure is thrown only when all work has ended, so that nothing of a failed
 * attempt goes on beside the next.
 */
export async function allEnded<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const results = Promise.all(work);
  // Among what is waited for, so that a failure which is not told yet does not count as one that nobody handles.
  await Promise.allSettled([results, ...work]);
  return results;
}
