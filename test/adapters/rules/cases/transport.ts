// More cases of rules about transport, by rule.
import type { Cases } from "../rule-cases.ts";

export const TRANSPORT: Cases = {
  "certificate-not-checked": {
    bad: [
      { path: "scripts/fetch.sh", code: "curl -fsSLk https://files.acme.io/tool -o tool" },
      { path: "config/app.yml", code: "  verify_ssl: false" },
      { path: "Dockerfile", code: "RUN git -c http.sslVerify=false clone https://git.acme.io/a.git" },
    ],
    good: [
      { path: "scripts/health.sh", code: "curl -k https://localhost:8443/health" },
      { path: "config/app.yml", code: "  verify_ssl: true\n  # verify_ssl: false" },
      { path: "scripts/kill.sh", code: "pkill -k thing && curl https://files.acme.io" },
    ],
  },
  "ssh-host-key-not-checked": {
    bad: [
      {
        path: ".github/workflows/deploy.yml",
        code: '      - run: scp -o "StrictHostKeyChecking no" a deploy@app.acme.io:',
      },
    ],
    good: [{ path: "scripts/deploy.sh", code: "# StrictHostKeyChecking=no is not needed" }],
  },
  "packages-over-http": {
    bad: [
      { path: "Gemfile", code: 'source "http://rubygems.org"' },
      { path: "requirements.txt", code: "--index-url http://pypi.acme.io/simple" },
    ],
    good: [
      { path: ".npmrc", code: "registry=http://localhost:4873/" },
      {
        path: "pom.xml",
        code: '<project xmlns="http://maven.apache.org/POM/4.0.0">\n<url>http://acme.io/product</url>',
      },
    ],
  },
  "git-protocol-unencrypted": {
    bad: [{ path: ".gitmodules", code: "\turl = git://github.com/acme/core.git" }],
    good: [
      { path: "package.json", code: '    "url": "git://github.com/acme/app.git"' },
      { path: "README.md", code: "git://github.com/acme/parser.git no longer works" },
    ],
  },
  "tls-version-outdated": {
    bad: [
      { path: "infra/cdn.tf", code: '  minimum_protocol_version = "TLSv1"' },
      { path: "infra/storage.tf", code: '  min_tls_version = "TLS1_0"' },
    ],
    good: [
      { path: "apache/site.conf", code: "SSLProtocol all -SSLv3 -TLSv1 -TLSv1.1" },
      { path: "infra/cdn.tf", code: '  minimum_protocol_version = "TLSv1.2_2021"' },
    ],
  },
  "app-allows-clear-text": {
    bad: [{ path: "ios/App/Info.plist", code: "    <key>NSAllowsArbitraryLoads</key>\n    <true/>" }],
    good: [{ path: "ios/App/Info.plist", code: "    <key>NSAllowsArbitraryLoads</key>\n    <false/>" }],
  },
  "script-over-http": {
    bad: [{ path: "app/layout.erb", code: "<script type='module' src='http://cdn.acme.io/app.js'>" }],
    good: [{ path: "public/index.html", code: '<script src="http://localhost:35729/livereload.js"></script>' }],
  },
};
