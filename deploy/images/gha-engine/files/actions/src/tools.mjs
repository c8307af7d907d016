import * as core from '@actions/core';

/** Puts a folder of programs before all others but the shims, which tell the recorder what is run of them. */
export function usePrograms(folder) {
  core.addPath(folder);
  core.addPath('/opt/durabench/shims');
}
