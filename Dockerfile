# One container with everything: the server, a worker and the embedded PostgreSQL, with all data in /data.
#
#     docker build -t nexus .
#     docker run -d --name nexus -p 127.0.0.1:8080:8080 -v nexus:/data nexus
#     docker logs nexus        # has the sign-in link of the first admin
#
# compose.yml runs the parts in separate containers.

# Any glibc image with Node.js 20.19 or newer. Alpine has another C library, which the embedded PostgreSQL does not run on.
ARG BASE=docker.io/library/node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /nexus
COPY package.json package-lock.json ./
COPY test/support/api-tools test/support/api-tools
COPY test/support/postgres-15 test/support/postgres-15
RUN npm ci
COPY . .
RUN npm run build && find dist -name '*.map' -delete && npm prune --omit=dev

FROM ${BASE}
ENV NODE_ENV=production NEXUS_ENV=prod NEXUS_HOST=0.0.0.0 NEXUS_PORT=8080 NEXUS_DATA_DIR=/data
WORKDIR /nexus
RUN useradd --system --uid 8080 --home-dir /data nexus && install -d -o nexus -g nexus -m 0700 /data
COPY --from=build /nexus/package.json /nexus/LICENSE ./
COPY --from=build /nexus/node_modules node_modules
COPY --from=build /nexus/migrations migrations
COPY --from=build /nexus/dist dist
RUN ln -s /nexus/dist/main.js /usr/local/bin/nexus && chmod +x dist/main.js
USER nexus
VOLUME /data
EXPOSE 8080
# A worker answers on NEXUS_METRICS_PORT.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.NEXUS_METRICS_PORT ?? process.env.NEXUS_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# `docker stop` waits 10 seconds by default. Give Nexus time for its requests, jobs and PostgreSQL: `docker stop -t 60 nexus`.
STOPSIGNAL SIGTERM
ENTRYPOINT ["nexus"]
CMD ["serve"]
