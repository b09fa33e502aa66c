// What deployments open up, and connections that nobody checks or that everybody can read.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples hold expressions of shells and of GitHub Actions
import { type KnownLine, knownLines } from "../known-lines.ts";
import { type LineRule, rulesOf } from "../rule.ts";
import {
  holdsCommands,
  isComment,
  isConfig,
  isSampleFile,
  linesOf,
  matchAt,
  named,
  realOnes,
  searchLines,
} from "./line-rule.ts";

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

const SETTING_OFF =
  /^\s*(?:-\s*)?(?:export\s+|ENV\s+|set\s+|\$env:)?["']?(?:NODE_TLS_REJECT_UNAUTHORIZED["']?\s*[:= ]\s*["']?0|GIT_SSL_NO_VERIFY["']?\s*[:= ]\s*["']?(?:1|true)|PYTHONHTTPSVERIFY["']?\s*[:= ]\s*["']?0|strict-ssl\s*=\s*false|(?:insecure_?skip_?(?:tls_?)?verify|tls_?skip_?verify|skip_?tls_?verify|skip_?ssl_?verification|disable_?ssl_?verification|ssl_?verify_?none)["']?\s*[:=]\s*["']?true|(?:verify_?ssl|ssl_?verify|tls_?verify|verify_?tls|verify_?certs?|validate_?certs?|check_?certificate|sslverify|reject_?unauthorized)["']?\s*[:=]\s*["']?(?:false|no|off|0)\b)/i;
const COMMAND_OFF =
  /\bhttp\.sslVerify(?:=|\s+)["']?(?:false|0)\b|\bcurl\b(?:\s+-{1,2}[\w-]+(?:[= ][^\s|;&-][^\s|;&]*)?|\s+[^\s|;&-][^\s|;&]*){0,12}?\s+(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?=\s|$)|\bwget\b[^|;&]{0,200}\s--no-check-certificate\b|\bstrict-ssl\s+false\b|\bpip3?\s+install\b[^|;&]{0,200}--trusted-host\b|\bNODE_TLS_REJECT_UNAUTHORIZED=0|\bGIT_SSL_NO_VERIFY=(?:1|true)/;
const LOCAL =
  /localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal|kubernetes\.default|169\.254\.169\.254/i;

const PLAIN_SOURCE =
  /^\s*(?:["']?(?:registry|@[\w-]+:registry|npmRegistryServer|index-url|extra-index-url|index_url)["']?\s*[:=]\s*["']?http:\/\/|source\s+["']http:\/\/|(?:maven\s*\{\s*)?url\s*(?:=|\(|\s)\s*(?:uri\()?["']http:\/\/|<(?:url|repository)>\s*http:\/\/[^<]*(?:repo|maven|nexus|artifact))|(?:--(?:index-url|extra-index-url|registry)[= ]["']?http:\/\/)/i;
const PACKAGE_FILE =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|pyproject\.toml|Pipfile|requirements[^/]*\.txt|Gemfile|pom\.xml|settings\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|nuget\.config|\.condarc|package\.json|composer\.json)$/i;
const PRIVATE_HOST =
  /http:\/\/(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|[\w-]+(?:[:/"']|$)|[\w.-]+\.(?:local|internal|lan)\b)/i;

const SOURCES_FILE = /(?:^|\/)(?:\.gitmodules|Gemfile|Podfile|Cartfile|setup\.py|requirements[^/]*\.txt)$/;

/** The check of a rule about lines of deployments among their neighbours. */
function inDeployments(
  speaks: (at: KnownLine, lines: readonly KnownLine[], index: number) => boolean,
): LineRule["check"] {
  return (file) => {
    const lines = DEPLOYMENT(file) ? knownLines(file) : [];
    return lines.filter((at, index) => speaks(at, lines, index)).map(({ line }) => matchAt(line));
  };
}

export const INFRASTRUCTURE_RULES = rulesOf<LineRule>("security", [
  {
    id: "container-privileged",
    title: "Container runs privileged",
    severity: "major",
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
    check: inDeployments(
      ({ text }, lines, index) =>
        text.length < 1000 && EVERYBODY.test(text) && !isComment(text) && isAdminBlock(lines, index),
    ),
  },
  {
    id: "storage-public",
    title: "Storage is public",
    severity: "major",
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
    confidence: 0.7,
    why: "Whoever holds this role is administrator of the account.",
    fix: "List the actions and resources that the role needs.",
    bad: { path: "infra/policy.json", code: '{\n  "Effect": "Allow",\n  "Action": "*",\n  "Resource": "*"\n}' },
    good: { path: "infra/policy.json", code: '{\n  "Effect": "Deny",\n  "Action": "*",\n  "Resource": "*"\n}' },
    check: inDeployments(({ text }, lines, index) => ALL_ACTIONS.test(text.slice(0, 300)) && allowsAll(lines, index)),
  },
  {
    id: "dockerfile-add-url",
    title: "Dockerfile adds a file from the network unchecked",
    severity: "minor",
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
  {
    id: "certificate-not-checked",
    title: "Certificates are not checked",
    severity: "major",
    confidence: 0.65,
    why: "Anybody between the two ends can answer instead of the real server, and read or change everything.",
    fix: "Remove the switch; for a private authority, trust its certificate instead.",
    fixes: [
      {
        from: /((?:verify_?ssl|ssl_?verify|tls_?verify|verify_?tls|verify_?certs?|validate_?certs?|check_?certificate|sslverify|reject_?unauthorized)["']?\s*[:=]\s*)(?:false|no|off)\b/i,
        to: "$1true",
      },
      { from: /(NODE_TLS_REJECT_UNAUTHORIZED["']?\s*[:= ]\s*["']?)0/, to: "$11" },
    ],
    bad: { path: "deploy/.env.production", code: "NODE_TLS_REJECT_UNAUTHORIZED=0" },
    good: { path: "scripts/fetch.sh", code: "curl -fsSL https://files.acme.io/tool -o tool-k" },
    check: (file) => {
      const command = holdsCommands(file);
      if (isSampleFile(file) || !(command || isConfig(file))) return [];
      return searchLines(
        file,
        (text) =>
          !isComment(text) && !LOCAL.test(text) && (SETTING_OFF.test(text) || (command && COMMAND_OFF.test(text))),
      );
    },
  },
  {
    id: "ssh-host-key-not-checked",
    title: "SSH host keys are not checked",
    severity: "medium",
    confidence: 0.6,
    why: "The connection goes to whoever answers; deployments then hand their files and keys to the wrong machine.",
    fix: "Put the host's key into `known_hosts`, or use `StrictHostKeyChecking=accept-new`.",
    fixes: [{ from: /(StrictHostKeyChecking(?:[= ]|\s*=\s*)["']?)no\b/i, to: "$1accept-new" }],
    bad: { path: "scripts/deploy.sh", code: "ssh -o StrictHostKeyChecking=no deploy@app.acme.io" },
    good: { path: "scripts/deploy.sh", code: "ssh -o StrictHostKeyChecking=accept-new deploy@app.acme.io" },
    check: linesOf(
      realOnes((file) => holdsCommands(file) || isConfig(file)),
      /\bStrictHostKeyChecking(?:[= ]|\s*=\s*)["']?no\b|\bhost_key_checking\s*=\s*false/i,
    ),
  },
  {
    id: "packages-over-http",
    title: "Packages are fetched without encryption",
    severity: "major",
    confidence: 0.75,
    why: "Anybody on the way can exchange a package for another, which then runs at install time.",
    fix: "Use `https://`.",
    fixes: [{ from: /http:\/\//i, to: "https://" }],
    bad: { path: ".npmrc", code: "registry=http://registry.acme.io/" },
    good: { path: ".npmrc", code: "registry=https://registry.acme.io/" },
    check: linesOf(
      (file) => PACKAGE_FILE.test(file.facts.path) || holdsCommands(file),
      (text) => !isComment(text) && PLAIN_SOURCE.test(text) && !PRIVATE_HOST.test(text),
    ),
  },
  {
    id: "git-protocol-unencrypted",
    title: "Repository is fetched over git://",
    severity: "major",
    category: "correctness",
    confidence: 0.85,
    why: "The protocol has no encryption, and GitHub switched it off in 2022: the fetch fails.",
    fix: "Use `https://`.",
    fixes: [{ from: /git:\/\/(?=(?:www\.)?github\.com)/, to: "https://" }],
    bad: { path: "package.json", code: '    "parser": "git://github.com/acme/parser.git#v1"' },
    good: { path: "package.json", code: '    "parser": "git+https://github.com/acme/parser.git#v1"' },
    check: linesOf(
      (file) =>
        file.facts.kind !== "docs" && (isConfig(file) || holdsCommands(file) || SOURCES_FILE.test(file.facts.path)),
      /^(?!\s*"(?:url|homepage)").*(?<![\w+])git:\/\/(?:www\.)?github\.com\//,
    ),
  },
  {
    id: "tls-version-outdated",
    title: "Outdated TLS version is allowed",
    severity: "medium",
    confidence: 0.7,
    why: "SSL 3, TLS 1.0 and TLS 1.1 have known breaks and were withdrawn (RFC 8996).",
    fix: "Allow TLS 1.2 and 1.3 only.",
    bad: { path: "nginx/site.conf", code: "    ssl_protocols TLSv1 TLSv1.1 TLSv1.2;" },
    good: { path: "nginx/site.conf", code: "    ssl_protocols TLSv1.2 TLSv1.3;" },
    check: linesOf(
      realOnes(isConfig),
      /^\s*(?:ssl_protocols|SSLProtocol)\b[^#;]{0,100}(?:^|[ +])(?:SSLv[23]|TLSv1(?:\.[01])?)(?=[ ;]|$)|\b(?:min(?:imum)?_?tls_?version|minimum_?protocol_?version|tls_?min_?version|min_?protocol_?version|ssl_?policy)["']?\s*[:=]\s*["']?(?:TLSv?_?1(?:[._][01])?(?:_2016)?|1\.[01]|SSLv3|VersionTLS1[01]|ELBSecurityPolicy-2016-08)["']?\s*,?\s*$/i,
    ),
  },
  {
    id: "app-allows-clear-text",
    title: "App allows unencrypted connections",
    severity: "medium",
    confidence: 0.65,
    why: "Everything that the app sends can be read and changed on public networks.",
    fix: "Remove the switch, or name the one host that needs the exception.",
    fixes: [
      { from: /(usesCleartextTraffic\s*=\s*")true/, to: "$1false" },
      { from: /<true\s*\/>/, to: "<false/>" },
    ],
    bad: { path: "app/src/main/AndroidManifest.xml", code: '        android:usesCleartextTraffic="true"' },
    good: { path: "app/src/main/AndroidManifest.xml", code: '        android:usesCleartextTraffic="false"' },
    check: (file) => {
      if (/AndroidManifest\.xml$/.test(file.facts.path) && !/\/debug\//.test(file.facts.path))
        return searchLines(file, /android:usesCleartextTraffic\s*=\s*"true"/);
      if (!/\.plist$/.test(file.facts.path)) return [];
      let allows = false;
      return searchLines(file, (text) => {
        const hit = allows && /^\s*<true\s*\/>/.test(text);
        allows = text.includes("<key>NSAllowsArbitraryLoads</key>");
        return hit;
      });
    },
  },
  {
    id: "script-over-http",
    title: "Script is loaded without encryption",
    severity: "major",
    confidence: 0.8,
    why: "Anybody on the way can put their own script into the page; browsers block it on secure pages.",
    fix: "Use `https://` and an `integrity` attribute.",
    fixes: [{ from: /http:\/\//i, to: "https://" }],
    bad: { path: "public/index.html", code: '<script src="http://cdn.acme.io/app.js"></script>' },
    good: { path: "public/index.html", code: '<script src="https://cdn.acme.io/app.js"></script>' },
    check: linesOf(
      realOnes(named(/\.(?:html?|erb|ejs|hbs|php|jsx|tsx|vue|svelte|twig|jinja2?|cshtml|jsp|haml|pug)$/i)),
      (text) => /<script\b[^>]{0,200}\bsrc\s*=\s*["']http:\/\//i.test(text) && !LOCAL.test(text),
    ),
  },
]);
