// In place of ssh2, in the client of Docker engines (docker-client.js).
exports.Client = class Client {
  constructor() {
    throw new Error(
      'DOCKER_HOST=ssh://… is not supported; forward the socket (ssh -N -L /tmp/docker.sock:/var/run/docker.sock HOST) ' +
        'and set DOCKER_HOST=unix:///tmp/docker.sock',
    );
  }
};
