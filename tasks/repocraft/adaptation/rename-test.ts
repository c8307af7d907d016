import { runPythonTool, type ToolContext } from '../candidate/python-tool.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { Binding } from './bind.js';

/** The test under the candidate's names, or why that cannot be done safely. */
type Renamed = { test_code: string } | { code: string; message: string };

/**
 * The task's test with its reference names replaced, by syntax tree (`python/candidate/adapt.py`).
 * `packages`: those of the reference.
 */
export function renameTest(
  context: ToolContext,
  task: RepocraftTask,
  { packages, bindings }: { packages: string[]; bindings: Binding[] },
): Promise<Renamed> {
  const request = { test_code: task.test_code, packages, bindings };
  return runPythonTool<Renamed>(context, { tool: 'adapt.py', with: [], request });
}
