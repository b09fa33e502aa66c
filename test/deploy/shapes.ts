// As much of compose and Kubernetes as deploy/ uses, and not a key more: a misspelt one is an
// error. Sources: the Compose Specification, and the Kubernetes API reference 1.31 (apps/v1, v1,
// policy/v1, networking.k8s.io/v1).
import { z } from "zod";

const seconds = z.string().regex(/^\d+s$/);

const Service = z.strictObject({
  build: z.string().optional(),
  image: z.string(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.string()),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(["service_started", "service_healthy"]) }))
    .optional(),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string().regex(/^[\w-]+:\/[\w/.-]+$/)).default([]),
  ports: z.array(z.string()).default([]),
  stop_grace_period: seconds,
  init: z.literal(true).optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  mem_limit: z
    .string()
    .regex(/^\d+[kmg]$/)
    .optional(),
  healthcheck: z.strictObject({
    test: z.array(z.string()).min(2),
    interval: seconds,
    timeout: seconds,
    start_period: seconds.optional(),
    retries: z.int().optional(),
  }),
});

export const Compose = z.strictObject({
  name: z.string(),
  "x-kodiai": z.unknown().optional(),
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
  volumes: z.record(z.string(), z.null()),
});

const labels = z.record(z.string().regex(/^([a-z0-9.-]+\/)?[\w.-]{1,63}$/), z.string().regex(/^[\w.-]{0,63}$/));
const metadata = z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,63}$/), labels });
const matchLabels = z.strictObject({ matchLabels: labels });
const quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/);

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith("/"), port: z.union([z.string(), z.int()]) }),
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().min(1).optional(),
  failureThreshold: z.int().min(1).optional(),
});
export type Probe = z.infer<typeof Probe>;

const secretKeyRef = z.strictObject({ name: z.string(), key: z.string() });
const EnvVar = z.union([
  z.strictObject({ name: z.string(), value: z.string(), valueFrom: z.undefined().optional() }),
  z.strictObject({
    name: z.string(),
    value: z.undefined().optional(),
    valueFrom: z.strictObject({
      secretKeyRef,
    }),
  }),
]);

const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  ports: z.array(z.strictObject({ name: z.string().max(15), containerPort: z.int().min(1).max(65_535) })),
  env: z.array(EnvVar),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: z.strictObject({
    requests: z.strictObject({ cpu: quantity, memory: quantity }),
    limits: z.strictObject({ memory: quantity }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string().startsWith("/"), readOnly: z.boolean().optional() }),
  ),
});

const Volume = z.strictObject({
  name: z.string(),
  emptyDir: z.strictObject({ sizeLimit: quantity }).optional(),
  secret: z
    .strictObject({
      secretName: z.string(),
      defaultMode: z.int().max(0o777),
      items: z.array(z.strictObject({ key: z.string(), path: z.string() })),
    })
    .optional(),
});

const Deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata,
  spec: z.strictObject({
    replicas: z.int().min(1),
    selector: matchLabels,
    strategy: z.strictObject({
      type: z.literal("RollingUpdate"),
      rollingUpdate: z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() }),
    }),
    template: z.strictObject({
      metadata: z.strictObject({ labels }),
      spec: z.strictObject({
        automountServiceAccountToken: z.literal(false),
        shareProcessNamespace: z.literal(true),
        // Exit codes are read by systemd alone: see operating.md.
        restartPolicy: z.literal("Always"),
        terminationGracePeriodSeconds: z.int(),
        securityContext: z.strictObject({
          runAsNonRoot: z.literal(true),
          runAsUser: z.int().min(1),
          runAsGroup: z.int().min(1),
          fsGroup: z.int(),
          seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
        }),
        topologySpreadConstraints: z.array(
          z.strictObject({
            maxSkew: z.int(),
            topologyKey: z.string(),
            whenUnsatisfiable: z.enum(["ScheduleAnyway", "DoNotSchedule"]),
            labelSelector: matchLabels,
          }),
        ),
        containers: z.array(Container).length(1),
        volumes: z.array(Volume),
      }),
    }),
  }),
});

const portRule = z.strictObject({ protocol: z.enum(["TCP", "UDP"]), port: z.int() });

/** By `kind`. */
export const MANIFESTS = {
  Deployment,
  Secret: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Secret"),
    metadata,
    type: z.literal("Opaque"),
    stringData: z.record(z.string().regex(/^[\w.-]{1,253}$/), z.string()),
  }),
  Service: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Service"),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.union([z.string(), z.int()]) })),
    }),
  }),
  PodDisruptionBudget: z.strictObject({
    apiVersion: z.literal("policy/v1"),
    kind: z.literal("PodDisruptionBudget"),
    metadata,
    spec: z.strictObject({ minAvailable: z.int().min(1), selector: matchLabels }),
  }),
  NetworkPolicy: z.strictObject({
    apiVersion: z.literal("networking.k8s.io/v1"),
    kind: z.literal("NetworkPolicy"),
    metadata,
    spec: z.strictObject({
      podSelector: matchLabels,
      policyTypes: z.array(z.enum(["Ingress", "Egress"])),
      ingress: z.array(
        z.strictObject({ from: z.array(z.strictObject({ namespaceSelector: matchLabels })), ports: z.array(portRule) }),
      ),
      egress: z.array(z.strictObject({ ports: z.array(portRule) })),
    }),
  }),
} as const;
