# Skein's server with its page, API, proxy and gateway. Build it in a clone: docker build -t skein .
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm run pack

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="Skein" org.opencontainers.image.licenses="MIT"
COPY --from=build /src/packed /packed
RUN npm install --global --offline --no-audit --no-fund /packed/*.tgz && rm -rf /packed && mkdir /data && chown node:node /data
USER node
WORKDIR /data
# Recordings that wait for the store are in the data folder.
ENV SKEIN_STORE=/data/forest XDG_DATA_HOME=/data
VOLUME /data
EXPOSE 4141
HEALTHCHECK --interval=30s --timeout=5s CMD ["node", "-e", "fetch('http://127.0.0.1:4141/api/v1/health', { headers: { authorization: 'Bearer ' + process.env.SKEIN_TOKEN } }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["skein", "--host", "0.0.0.0", "--no-open"]
