// More cases of rules about infrastructure, by rule.
import type { Cases } from "../rule-cases.ts";

export const INFRASTRUCTURE: Cases = {
  "container-privileged": {
    bad: [{ path: "docker-compose.yml", code: "  builder:\n    privileged: true" }],
    good: [{ path: "config/app.yml", code: "privileged_users: true" }],
  },
  "container-shares-host": {
    bad: [{ path: "k8s/runner.yaml", code: "        - hostPath:\n            path: /var/run/docker.sock" }],
    good: [{ path: "docs/docker.md", code: "-v /var/run/docker.sock:/var/run/docker.sock" }],
  },
  "container-escalates": {
    bad: [{ path: "k8s/api.yaml", code: "      securityContext:\n        runAsUser: 0" }],
    good: [{ path: "k8s/api.yaml", code: "# runAsUser: 0" }],
  },
  "network-open-to-everybody": {
    bad: [
      {
        path: "infra/stack.yaml",
        code: "      SecurityGroupIngress:\n        - CidrIp: 0.0.0.0/0\n          FromPort: 5432\n          ToPort: 5432",
      },
    ],
    good: [
      {
        path: "infra/main.tf",
        code: 'egress {\n  from_port   = 0\n  to_port     = 0\n  protocol    = "-1"\n  cidr_blocks = ["0.0.0.0/0"]\n}',
      },
      {
        path: "infra/main.tf",
        code: 'ingress {\n  from_port   = 22\n  to_port     = 22\n  cidr_blocks = ["10.0.0.0/8"]\n}',
      },
    ],
  },
  "storage-public": {
    bad: [
      { path: "infra/bucket.tf", code: "  block_public_acls = false" },
      { path: "infra/db.tf", code: "  publicly_accessible = true" },
    ],
    good: [{ path: "infra/variables.tf", code: '  description = "set to public-read for a website"' }],
  },
  "storage-not-encrypted": {
    bad: [{ path: "infra/stack.yaml", code: "      StorageEncrypted: false" }],
    good: [{ path: "infra/app.tf", code: "  encrypted_uploads = false" }],
  },
  "policy-allows-everything": {
    bad: [
      {
        path: "infra/iam.tf",
        code: '  statement {\n    effect    = "Allow"\n    actions   = ["*"]\n    resources = ["*"]\n  }',
      },
      { path: "k8s/role.yaml", code: 'rules:\n  - apiGroups: ["*"]\n    resources: ["*"]\n    verbs: ["*"]' },
    ],
    good: [
      { path: "infra/policy.json", code: '{\n  "Effect": "Allow",\n  "Action": "s3:GetObject",\n  "Resource": "*"\n}' },
      { path: "k8s/role.yaml", code: 'rules:\n  - apiGroups: [""]\n    resources: ["pods"]\n    verbs: ["*"]' },
    ],
  },
  "dockerfile-add-url": {
    bad: [{ path: "build/Dockerfile.ci", code: "ADD --chown=app http://files.acme.io/tool /usr/bin/tool" }],
    good: [{ path: "Dockerfile", code: "ADD tool.tar.gz /opt/\nADD https://github.com/acme/tool.git#v1 /src" }],
  },
};
