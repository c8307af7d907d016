// Third part of `npm run build`: dockerode in one file, dist/vendor/dockerode.cjs. As a dependency it would bring ssh2 and
// cpu-features, which a user's npm compiles (or fails to), and gRPC for builds that nothing here asks for; overrides of
// this package.json would hold for a clone alone, not for whoever installs the package.
import { join } from 'node:path';
import { bundle } from './bundle.js';

const absent = join(import.meta.dirname, 'absent.cjs');
await bundle('dockerode', {
  entryPoints: ['node_modules/dockerode/lib/docker.js'],
  alias: {
    ssh2: join(import.meta.dirname, 'no-ssh.cjs'),
    ...{ '@grpc/grpc-js': absent, '@grpc/proto-loader': absent, protobufjs: absent },
  },
});
