import type Docker from 'dockerode';
import { isDeadInstance } from './instance.js';
import { LABEL } from './labels.js';

/** Force-removes containers whose worker process is certainly dead; a live neighbour's are never touched. Returns how many went. */
export async function removeDeadContainers(docker: Docker): Promise<number> {
  const containers = await docker.listContainers({ all: true, filters: { label: [LABEL.instance] } });
  const orphans = containers.filter((container) => isDeadInstance(container.Labels[LABEL.instance] ?? ''));
  const gone = await Promise.all(
    orphans.map((orphan) =>
      docker
        .getContainer(orphan.Id)
        .remove({ force: true })
        .then(
          () => 1,
          (error: { statusCode?: number }) => {
            // 404: gone already; 409: being removed by somebody else.
            if (error.statusCode === 404 || error.statusCode === 409) return 0;
            throw error;
          },
        ),
    ),
  );
  return gone.reduce<number>((sum, one) => sum + one, 0);
}
