// What stands in deploy/, held against the code: there is no Docker and no cluster here, so this is
// all that is known of it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ENV_VARIABLES, EnvVariables } from "../../src/config/environment/env-variables.ts";
import { Compose, MANIFESTS, type Probe } from "./shapes.ts";

/** Node's own beside ours. */
const KNOWN = new Set([...ENV_VARIABLES.map(({ name }) => name), "NODE_ENV"]);
const unknown = (names: Iterable<string>) => [...names].filter((name) => !KNOWN.has(name));

/** The longest that a stop takes: src/server/serve.ts. */
const STOP_SECONDS = Number(/MOST_STOP_MS = (\d+)_000/.exec(readFileSync("src/server/serve.ts", "utf8"))?.[1]);
/** Paths that the code answers on the admin port, and on the public one. */
const adminPaths = [...readFileSync("src/server/admin-server.ts", "utf8").matchAll(/"(\/\w+)"/g)].map(
  ([, path]) => path,
);

const DOCKERFILE = readFileSync("Dockerfile", "utf8");

test("the code still says how long a stop takes and what it answers", () => {
  expect(STOP_SECONDS).toBeGreaterThan(0);
  expect(adminPaths).toEqual(expect.arrayContaining(["/healthz", "/readyz", "/metrics"]));
});

describe("the Dockerfile", () => {
  test("makes a data folder that only its user may look into [T30]", () => {
    expect(DOCKERFILE).toMatch(/^RUN mkdir -m 700 \/data && chown node:node \/data$/m);
  });

  test("copies what the server reads beside its source, and names only variables that there are", () => {
    const copied = [...DOCKERFILE.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
    for (const path of copied) expect(existsSync(path), path).toBe(true);
    expect(copied).toEqual(
      expect.arrayContaining(["src", "app.yml", "package.json", "package-lock.json", "scripts/launch.mjs"]),
    );
    const set =
      /^ENV (.+)$/m
        .exec(DOCKERFILE)?.[1]
        ?.split(" ")
        .map((pair) => pair.split("=")[0] ?? "") ?? [];
    expect(unknown(set)).toEqual([]);
    expect(set).toContain("KODIAI_DATA_DIR");
  });

  test("leaves secrets and data out of what is sent to the builder", () => {
    expect(readFileSync(".dockerignore", "utf8").split("\n")).toEqual(
      expect.arrayContaining([".env", "*.pem", "data", "node_modules"]),
    );
  });
});

describe.each(["docker-compose.yml", "docker-compose.postgres.yml"])("%s", (name) => {
  const compose = Compose.parse(parse(readFileSync(join("deploy", name), "utf8"), { merge: true }));
  const ours = Object.entries(compose.services).filter(([service]) => service.startsWith("kodiai"));

  test("names only variables that Kodiai reads, and every one that it needs is set there or by set-up", () => {
    expect(ours.length).toBe(name === "docker-compose.yml" ? 1 : 2);
    for (const [, { environment, env_file: envFile }] of ours) {
      expect(unknown(Object.keys(environment))).toEqual([]);
      expect(envFile).toBe("../.env");
      const bySetup = ["APP_ID", "WEBHOOK_SECRET"];
      const needed = ENV_VARIABLES.filter(({ required }) => required).map((one) => one.name);
      expect(needed.filter((one) => !bySetup.includes(one) && environment[one] === undefined)).toEqual([]);
    }
  });

  test("agrees with the code on ports, health and how long a stop takes, and opens ports to this machine only", () => {
    for (const [, service] of ours) {
      const { PORT, KODIAI_ADMIN_PORT, HOST, KODIAI_ADMIN_HOST, KODIAI_DATA_DIR } = service.environment;
      expect([HOST, KODIAI_ADMIN_HOST]).toEqual(["0.0.0.0", "0.0.0.0"]);
      const published = service.ports.map((port) => /^127\.0\.0\.1:(\d+):(\d+)$/.exec(port)?.[2]);
      expect(published).toEqual([PORT, KODIAI_ADMIN_PORT]);
      expect(service.healthcheck.test.join(" ")).toContain(`http://127.0.0.1:${PORT}/healthz`);
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS);
      expect(service.volumes).toContain(`kodiai-data:${KODIAI_DATA_DIR}`);
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], image: "kodiai:local" });
      expect(existsSync(resolve("deploy", String(service.build), "Dockerfile"))).toBe(true);
    }
    const published = Object.values(compose.services).flatMap(({ ports }) =>
      ports.map((port) => port.split(":").slice(0, 2).join(":")),
    );
    expect(new Set(published).size).toBe(published.length);
  });

  test("declares each volume and secret that a service names, and names each that is declared", () => {
    const services = Object.values(compose.services);
    const volumes = services.flatMap((service) => service.volumes.map((volume) => volume.split(":")[0] ?? ""));
    expect([...new Set(volumes)].sort()).toEqual(Object.keys(compose.volumes).sort());
    const secrets = services.flatMap((service) => service.secrets);
    expect([...new Set(secrets)]).toEqual(Object.keys(compose.secrets));
    for (const [, { environment, secrets: own }] of ours)
      expect(environment.PRIVATE_KEY_PATH).toBe(`/run/secrets/${own[0]}`);
  });
});

test("a killed worker's children find a first process that ends them", () => {
  for (const name of ["docker-compose.yml", "docker-compose.postgres.yml"]) {
    const { services } = Compose.parse(parse(readFileSync(join("deploy", name), "utf8"), { merge: true }));
    for (const [service, { init }] of Object.entries(services))
      expect([service, init]).toEqual([service, service.startsWith("kodiai") || undefined]);
  }
});

test("the proxies of docs/deploy.md forward the path and the port that the server has, and nothing else", () => {
  const page = readFileSync("docs/deploy.md", "utf8");
  const path = EnvVariables.shape.WEBHOOK_PATH.parse(undefined);
  const port = EnvVariables.shape.PORT.parse(undefined);
  const [nginx = "", caddy = ""] = ["location", "handle"].map(
    (word) => [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].find(([, text = ""]) => text.includes(word))?.[1],
  );
  expect(nginx).toContain(`location = ${path} { proxy_pass http://127.0.0.1:${port}; }`);
  expect(caddy).toMatch(new RegExp(`handle ${path} \\{\\s+reverse_proxy 127\\.0\\.0\\.1:${port}\\s+\\}`));
  for (const text of [nginx, caddy]) expect(text.match(/127\.0\.0\.1/g)).toHaveLength(1);
});

test("the two processes on PostgreSQL reach the database beside them", () => {
  const { services } = Compose.parse(
    parse(readFileSync("deploy/docker-compose.postgres.yml", "utf8"), { merge: true }),
  );
  const environment = services.postgres?.environment ?? {};
  expect(services.postgres?.image).toMatch(/^pgvector\/pgvector:[\d.]+-pg\d+@sha256:[0-9a-f]{64}$/);
  const url = new URL((services["kodiai-1"]?.environment.DATABASE_URL ?? "").replace(/\$\{[^}]+\}/, "password"));
  expect([url.hostname, url.username, url.pathname]).toEqual([
    "postgres",
    environment.POSTGRES_USER,
    `/${environment.POSTGRES_DB}`,
  ]);
});

describe("Kubernetes", () => {
  const folder = "deploy/kubernetes";
  const manifests = readdirSync(folder).map((name) => {
    const document: unknown = parse(readFileSync(join(folder, name), "utf8"));
    const shape = MANIFESTS[(document as { kind: keyof typeof MANIFESTS }).kind];
    return { name, document, read: shape.safeParse(document) };
  });
  const of = <Kind extends keyof typeof MANIFESTS>(kind: Kind) =>
    MANIFESTS[kind].parse(
      manifests.find(({ document }) => (document as { kind: string }).kind === kind)?.document,
    ) as ReturnType<(typeof MANIFESTS)[Kind]["parse"]>;

  test.each(manifests)("$name has the structure that Kubernetes knows", ({ read }) => {
    expect(read.error?.issues ?? []).toEqual([]);
  });

  test("the deployment names only variables that Kodiai reads, sets each that it needs, and takes secrets that the template has", () => {
    const { spec } = of("Deployment");
    const [container] = spec.template.spec.containers;
    const names = container?.env.map(({ name }) => name) ?? [];
    expect(unknown(names)).toEqual([]);
    const needed = ENV_VARIABLES.filter(({ required }) => required).map(({ name }) => name);
    expect(needed.filter((name) => !names.includes(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["ANTHROPIC_API_KEY", "KODIAI_DASHBOARD_TOKEN"]));
    // Port-forward comes from the pod's own loopback.
    expect(container?.env.find(({ name }) => name === "KODIAI_ADMIN_HOST")?.value).toBe("0.0.0.0");
    const secret = of("Secret");
    const taken = container?.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []) ?? [];
    const mounted = spec.template.spec.volumes.flatMap(
      ({ secret: one }) => one?.items.map(({ key }) => ({ name: one.secretName, key })) ?? [],
    );
    for (const { name, key } of [...taken, ...mounted]) {
      expect(name).toBe(secret.metadata.name);
      expect(Object.keys(secret.stringData)).toContain(key);
    }
    expect(Object.values(secret.stringData).join("")).toBe("");
    const mounts = container?.volumeMounts ?? [];
    expect(mounts.map(({ name }) => name)).toEqual(spec.template.spec.volumes.map(({ name }) => name));
    const value = (name: string) => container?.env.find((one) => one.name === name)?.value;
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(
      expect.arrayContaining([value("KODIAI_DATA_DIR"), dirname(value("PRIVATE_KEY_PATH") ?? "")]),
    );
  });

  test("probes ask what the admin port answers, ports agree everywhere, and a stop has time", () => {
    const { spec } = of("Deployment");
    const [container] = spec.template.spec.containers;
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe] as Probe[];
    for (const { httpGet } of probes) {
      expect(httpGet.port).toBe("admin");
      expect(adminPaths).toContain(httpGet.path);
    }
    expect(container?.readinessProbe.httpGet.path).toBe("/readyz");
    const port = (name: string) => container?.ports.find((one) => one.name === name)?.containerPort;
    const value = (name: string) => container?.env.find((one) => one.name === name)?.value;
    expect([String(port("webhook")), String(port("admin"))]).toEqual([value("PORT"), value("KODIAI_ADMIN_PORT")]);
    expect(of("Service").spec.ports.map(({ targetPort }) => targetPort)).toEqual(["webhook"]);
    const let_in = of("NetworkPolicy").spec.ingress.flatMap(({ ports }) => ports.map((one) => one.port));
    expect(let_in).toEqual([port("webhook"), port("admin")]);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(STOP_SECONDS);
    expect(of("PodDisruptionBudget").spec.minAvailable).toBeLessThan(spec.replicas);
    expect(container?.image).not.toMatch(/:latest$|^[^:]+$/);
  });

  test("one set of labels selects the pods in all of them", () => {
    const labels = of("Deployment").spec.template.metadata.labels;
    for (const selected of [
      of("Deployment").spec.selector.matchLabels,
      of("Service").spec.selector,
      of("PodDisruptionBudget").spec.selector.matchLabels,
      of("NetworkPolicy").spec.podSelector.matchLabels,
    ]) {
      expect(selected).toEqual(labels);
    }
  });
});

describe("the systemd unit", () => {
  const text = readFileSync("deploy/systemd/kodiai.service", "utf8");
  const all = (key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  test("starts the published command, in its state folder, with variables that there are", () => {
    const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(all("ExecStart")).toEqual([`/usr/bin/node /opt/kodiai/node_modules/kodiai/${bin.kodiai} serve`]);
    expect(unknown(all("Environment").map((pair) => pair.split("=")[0] ?? ""))).toEqual([]);
    expect(all("Environment")).toContain(`KODIAI_DATA_DIR=/var/lib/${all("StateDirectory")[0]}`);
    expect(Number(all("TimeoutStopSec")[0])).toBeGreaterThan(STOP_SECONDS);
    // Trouble that passes ends a start with 3, see serve.ts.
    expect([all("Restart"), all("StartLimitIntervalSec")]).toEqual([["on-failure"], ["0"]]);
    expect(all("RestartPreventExitStatus")).toEqual(["2"]);
  });

  test("is taken by systemd itself", (context) => {
    const verified = spawnSync(
      "systemd-analyze",
      ["verify", "--recursive-errors=no", resolve("deploy/systemd/kodiai.service")],
      { encoding: "utf8" },
    );
    if (verified.error !== undefined) {
      console.warn("skipped: no systemd-analyze here to verify the unit with");
      return context.skip("no systemd-analyze");
    }
    // The programs of a machine that runs it are not here; everything else it says is ours.
    const said = verified.stderr
      .split("\n")
      .filter((line) => line !== "" && !/is not executable|Failed to|man page/.test(line));
    expect(said).toEqual([]);
  });
});
