// Rules about connections that nobody checks or that everybody can read.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples hold expressions of shells and of GitHub Actions
import type { LineRule } from "../rule.ts";
import {
  holdsCommands,
  isComment,
  isConfig,
  isSampleFile,
  linesOf,
  named,
  realOnes,
  searchLines,
} from "./line-rule.ts";

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

export const TRANSPORT_RULES: readonly LineRule[] = [
  {
    id: "certificate-not-checked",
    title: "Certificates are not checked",
    severity: "major",
    category: "security",
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
    category: "security",
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
    category: "security",
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
    category: "security",
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
    category: "security",
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
    category: "security",
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
];
