/**
 * The result of the work, unless Ctrl-C or SIGTERM comes first: a stack and a container outlive the process that started
 * them, so `finally` has to be reached. A second signal ends the process at once.
 * @throws Error that names the signal; what the work was about then is for the caller to end
 */
export async function untilInterrupted<Result>(work: Promise<Result>): Promise<Result> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
  return Promise.race([work, interrupted]);
}
