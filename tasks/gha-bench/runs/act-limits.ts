const GIB = 1024 ** 3;

/** Of a slot in which act runs workflows; it gives each job 2 GiB. The times are those of the driver, which ends act long before. */
export const ACT_LIMITS = {
  ...{ memoryBytes: 4 * GIB, cpus: 2, pids: 2048, cpuSeconds: 1800, wallSeconds: 3600 },
  ...{ tmpfsBytes: GIB / 2, fileSizeBytes: 2 * GIB, openFiles: 8192 },
};
