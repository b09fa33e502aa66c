// Rules about what deployments open up: containers, networks, buckets, databases.

import { type KnownLine, knownLines } from "../known-lines.ts";
import type { LineRule } from "../rule.ts";
import { isComment, linesOf, matchAt, named, realOnes } from "./line-rule.ts";

const YAML = realOnes(named(/\.ya?ml$/i));
const DEPLOYMENT = realOnes(named(/\.(?:ya?ml|json|tf|hcl|tofu|template|bicep)$/i));
const DOCKERFILE = realOnes(named(/(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.dockerfile$/i));

const EVERYBODY = /(?:0\.0\.0\.0\/0|::\/0)/;
const ADMIN_PORT =
  /(?:from_port|FromPort|to_port|ToPort|destination_port_range|ports?)["']?\s*[:=]\s*\[?["']?(?:22|3389|3306|5432|6379|9200|27017|0)["']?\s*\]?,?\s*$/i;
const OUTGOING = /egress|outbound|direction\s*=\s*"?egress/i;
/** Lines on either side in which a rule of a security group states its port; a block has fewer than ten. */
const BLOCK = 8;

/** Looks from the address to the nearest edge of its block on both sides. */
function isAdminBlock(lines: readonly KnownLine[], index: number): boolean {
  const before = lines.slice(Math.max(0, index - BLOCK), index).map(({ text }) => text.slice(0, 300));
  const after = lines.slice(index + 1, index + 1 + BLOCK).map(({ text }) => text.slice(0, 300));
  const opening = before.findLastIndex((text) => /[{[]\s*$|:\s*$/.test(text));
  const closing = after.findIndex((text) => /^\s*[}\]]|^\s*-\s/.test(text));
  const block = [...before.slice(Math.max(0, opening)), ...after.slice(0, closing < 0 ? undefined : closing)];
  return block.some((text) => ADMIN_PORT.test(text)) && !block.some((text) => OUTGOING.test(text));
}

const ALL_ACTIONS = /^\s*(?:-\s*)?["']?(?:Action|actions|verbs)["']?\s*[:=]\s*\[?\s*["']\*["']\s*\]?,?\s*$/;
const ALL_RESOURCES = /^\s*(?:-\s*)?["']?(?:Resource|resources)["']?\s*[:=]\s*\[?\s*["']\*["']\s*\]?,?\s*$/;

function allowsAll(lines: readonly KnownLine[], index: number): boolean {
  const near = lines.slice(Math.max(0, index - 4), index + 5).map(({ text }) => text.slice(0, 300));
  return (
    near.some((text) => ALL_RESOURCES.test(text)) &&
    !near.some((text) => /["']?\beffect["']?\s*[:=]\s*["']?Deny/i.test(text))
  );
}

export const INFRASTRUCTURE_RULES: readonly LineRule[] = [
  {
    id: "container-privileged",
    title: "Container runs privileged",
    severity: "major",
    category: "security",
    confidence: 0.6,
    why: "A privileged container is root on the host: who breaks into it owns the machine.",
    fix: "Grant the single capability that is needed with `capabilities.add`.",
    fixes: [{ from: /(privileged["']?\s*[:=]\s*)true/i, to: "$1false" }],
    bad: { path: "k8s/agent.yaml", code: "      securityContext:\n        privileged: true" },
    good: { path: "k8s/agent.yaml", code: "        privileged: false\n        # privileged: true" },
    check: linesOf(YAML, /^\s*(?:-\s*)?privileged\s*:\s*["']?true["']?\s*(?:#.*)?$/),
  },
  {
    id: "container-shares-host",
    title: "Container shares the host's namespace or Docker socket",
    severity: "major",
    category: "security",
    confidence: 0.5,
    why: "The container can see and reach the host's processes, network or Docker daemon, which is as good as root there.",
    fix: "Leave it out, or give the reason in a comment and limit who can deploy this.",
    bad: { path: "k8s/agent.yaml", code: "    spec:\n      hostPID: true" },
    good: { path: "k8s/agent.yaml", code: "      hostNetwork: false" },
    check: linesOf(
      YAML,
      /^\s*(?:-\s*)?(?:host(?:Network|PID|IPC)\s*:\s*true\b|path\s*:\s*["']?\/(?:var\/)?run\/docker\.sock\b)/,
    ),
  },
  {
    id: "container-escalates",
    title: "Container may gain root rights",
    severity: "medium",
    category: "security",
    confidence: 0.5,
    why: "A process that can become root in the container has most of the way to the host behind it.",
    fix: "Set `allowPrivilegeEscalation: false` and a `runAsUser` above 0.",
    bad: { path: "k8s/api.yaml", code: "          allowPrivilegeEscalation: true" },
    good: { path: "k8s/api.yaml", code: "          allowPrivilegeEscalation: false\n          runAsUser: 1000" },
    check: linesOf(
      YAML,
      /^\s*(?:-\s*)?(?:allowPrivilegeEscalation\s*:\s*true|runAsUser\s*:\s*0|runAsNonRoot\s*:\s*false)\s*(?:#.*)?$/,
    ),
  },
  {
    id: "network-open-to-everybody",
    title: "Administration or database port is open to the whole internet",
    severity: "critical",
    category: "security",
    confidence: 0.7,
    why: "Scanners find an open SSH, RDP or database port within minutes and try passwords from then on.",
    fix: "Allow the addresses that need it, or go through a bastion or VPN.",
    bad: {
      path: "infra/main.tf",
      code: 'ingress {\n  from_port   = 22\n  to_port     = 22\n  protocol    = "tcp"\n  cidr_blocks = ["0.0.0.0/0"]\n}',
    },
    good: {
      path: "infra/main.tf",
      code: 'ingress {\n  from_port   = 443\n  to_port     = 443\n  cidr_blocks = ["0.0.0.0/0"]\n}',
    },
    check: (file) => {
      if (!DEPLOYMENT(file)) return [];
      const lines = knownLines(file);
      return lines.flatMap((at, index) =>
        at.text.length < 1000 && EVERYBODY.test(at.text) && !isComment(at.text) && isAdminBlock(lines, index)
          ? [matchAt(at.line, {})]
          : [],
      );
    },
  },
  {
    id: "storage-public",
    title: "Storage is public",
    severity: "major",
    category: "security",
    confidence: 0.65,
    why: "Everybody on the internet can read, and perhaps write, what is stored there.",
    fix: "Keep it private and hand out signed links, or put a CDN with its own identity in front.",
    bad: { path: "infra/bucket.tf", code: '  acl    = "public-read-write"' },
    good: { path: "infra/bucket.tf", code: '  acl    = "private"\n  block_public_acls = true' },
    check: linesOf(
      DEPLOYMENT,
      /^\s*["']?(?:acl|AccessControl)["']?\s*[:=]\s*["']?(?:public-read(?:-write)?|PublicRead(?:Write)?)\b|^\s*["']?(?:block_public_acls|block_public_policy|ignore_public_acls|restrict_public_buckets|BlockPublicAcls|BlockPublicPolicy|RestrictPublicBuckets)["']?\s*[:=]\s*["']?false\b|^\s*["']?(?:publicly_accessible|PubliclyAccessible|allow_blob_public_access)["']?\s*[:=]\s*["']?true\b/,
    ),
  },
  {
    id: "storage-not-encrypted",
    title: "Encryption of stored data is switched off",
    severity: "medium",
    category: "security",
    confidence: 0.6,
    why: "Disks, snapshots and backups can then be read by whoever gets hold of them.",
    fix: "Leave encryption on; the cloud's own key costs nothing.",
    bad: { path: "infra/db.tf", code: "  storage_encrypted = false" },
    good: { path: "infra/db.tf", code: "  storage_encrypted = true" },
    check: linesOf(
      DEPLOYMENT,
      /^\s*["']?(?:storage_encrypted|StorageEncrypted|at_rest_encryption_enabled|transit_encryption_enabled|enable_disk_encryption|encrypted|Encrypted)["']?\s*[:=]\s*["']?false["']?,?\s*$/,
    ),
  },
  {
    id: "policy-allows-everything",
    title: "Policy allows every action on every resource",
    severity: "major",
    category: "security",
    confidence: 0.7,
    why: "Whoever holds this role is administrator of the account.",
    fix: "List the actions and resources that the role needs.",
    bad: { path: "infra/policy.json", code: '{\n  "Effect": "Allow",\n  "Action": "*",\n  "Resource": "*"\n}' },
    good: { path: "infra/policy.json", code: '{\n  "Effect": "Deny",\n  "Action": "*",\n  "Resource": "*"\n}' },
    check: (file) => {
      if (!DEPLOYMENT(file)) return [];
      const lines = knownLines(file);
      return lines.flatMap((at, index) =>
        ALL_ACTIONS.test(at.text.slice(0, 300)) && allowsAll(lines, index) ? [matchAt(at.line, {})] : [],
      );
    },
  },
  {
    id: "dockerfile-add-url",
    title: "Dockerfile adds a file from the network unchecked",
    severity: "minor",
    category: "security",
    confidence: 0.6,
    why: "`ADD` takes whatever the address serves at build time; nothing checks that it is the same file as yesterday.",
    fix: "Add `--checksum=sha256:…`, or download and verify in a `RUN` step.",
    bad: { path: "Dockerfile", code: "ADD https://files.acme.io/tool.tar.gz /opt/" },
    good: {
      path: "Dockerfile",
      code: "ADD --checksum=sha256:24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d https://files.acme.io/t /t",
    },
    check: linesOf(DOCKERFILE, /^\s*ADD\s+(?:--(?!checksum)\S+\s+)*https?:\/\/(?!\S+\.git(?:#|\s))/i),
  },
];
