# docker build -t kodiai:local .          docs/deploy.md says how to run it
#
# glibc, because the syntax parsers have no build for musl. The source runs as it is: Node strips the types.
# The digest is of the index of all platforms, and decides; Dependabot renews tag and digest together.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 LOG_FORMAT=json KODIAI_DATA_DIR=/data
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
COPY test/node24/package.json test/node24/package.json
RUN npm ci --omit=dev && npm cache clean --force

COPY scripts/launch.mjs scripts/launch.mjs
COPY app.yml app.yml
COPY src src
RUN mkdir -m 700 /data && chown node:node /data
VOLUME /data

USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# What is thrown away again soon is collected every 16 MB: by itself Node lets it grow to 64 under many connections.
CMD ["node", "--max-semi-space-size=16", "src/main.ts"]
