# The worker, and the durabench command to use beside it. Build from the repository's root:
#   docker build -f deploy/worker.Dockerfile -t durabench-worker:0.1.0 .
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
# The whole tree first: npm ci compiles it (its prepare script).
COPY . .
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:20.20.2-bookworm-slim
WORKDIR /app
# pip fetches pinned releases: reference libraries, wheels for sandbox images, the embedding model.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates python3-pip \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
COPY --from=build /app /app
RUN ln -s /app/bin/durabench.js /usr/local/bin/durabench && mkdir -p /var/lib/durabench /blobs
# Root: the group of /var/run/docker.sock differs between machines, and holding that socket is root anyway.
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/src/worker/main.js"]
